// The curves of one run: what was sampled of it, and what it named itself. One pass over the
// recording sums them up, unless their sums were kept beside it; a run that goes on is read on
// where the last pass stopped; a part that is looked at closely is read again. One thread at a
// time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "serve/series/series.h"
#include "store/curves/curve_sums.h"
#include "store/curves/kept_curves.h"
#include "store/point_scan.h"

namespace flatout::serve {

class RunSeries {
 public:
  // kNotFound: nothing was recorded.
  static base::Result<std::unique_ptr<RunSeries>> open(const std::filesystem::path& folder);

  // What was recorded since.
  base::Result<void> refresh();
  // Nothing can come any more, or what came is to be had by opening it again.
  bool complete() const { return scan_.sealed() || kept_; }

  std::vector<SeriesInfo> infos();
  // Of the curves of that metric.
  std::vector<std::string> keys_of(std::string_view metric) const;
  // kNotFound: it has no such curve.
  base::Result<Curve> curve(std::string_view key, const SeriesQuery& query);
  // Of the points in each range, which ascend; NaN where there are none. Where they are many, whole
  // entries are counted, which reach a little beyond a range's edge.
  std::vector<double> means(std::string_view key,
                            std::span<const std::pair<double, double>> ranges_ms);
  std::size_t bytes() const;  // in memory
  double last_ms() const;     // of all curves
  // What came last, by key, of those that have more points than `counts` says, which is brought up
  // to date.
  struct Latest {
    std::string key;
    std::size_t count = 0;
    double last = 0, last_ms = 0;
    std::int64_t last_step = 0;
  };
  std::vector<Latest> latest(std::unordered_map<std::string, std::size_t>& counts) const;

 private:
  struct Series {
    std::string key;
    store::SummedCurve* sum = nullptr;
  };

  RunSeries(std::filesystem::path folder, store::PointScan scan)
      : folder_(std::move(folder)), scan_(std::move(scan)) {}

  bool use_kept();
  void keep();
  base::Result<void> read_all_again();
  void name_new();
  Series* find(std::string_view key);
  // Its pyramid with all levels. Others may be other objects than before.
  base::Result<Series*> summed_up(std::string_view key);
  bool sum_up(store::SummedCurve& curve);
  SeriesInfo info_of(const Series& series);
  double x_of(Axis axis, std::int64_t t_ns, std::int64_t step) const;
  std::vector<CurvePoint> near_points(const Series& series, const SeriesQuery& query, double from,
                                      double to, bool& single);
  std::vector<CurvePoint> raw_points(const Series& series, Axis axis, std::int64_t from_ns,
                                     std::int64_t to_ns);

  const std::filesystem::path folder_;
  store::PointScan scan_;
  store::RecordingStamp opened_;  // of scan_, before anything was read
  store::CurveSums sums_;
  std::optional<store::KeptCurves> kept_;  // where the sums are from
  std::int64_t start_ns_ = 0;
  std::vector<std::unique_ptr<Series>> series_;  // as sums_.curves()
  std::unordered_map<std::string, Series*> by_key_;
  store::ValueColumns again_;
  std::jthread keeping_;
};

}  // namespace flatout::serve
