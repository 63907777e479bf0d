// The curves of one run: what was sampled of it, and what it named itself. One pass over the
// recording sums them up; a run that goes on is read on where the last pass stopped; a part that is
// looked at closely is read again. One thread at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "serve/series/pyramid.h"
#include "serve/series/series.h"
#include "store/point_scan.h"

namespace flatout::serve {

class RunSeries final : private store::PointTaker {
 public:
  // kNotFound: nothing was recorded.
  static base::Result<std::unique_ptr<RunSeries>> open(const std::filesystem::path& folder);

  // What was recorded since; nothing of a sealed run.
  base::Result<void> refresh();
  bool sealed() const { return scan_.sealed(); }

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
  struct Place {
    std::int64_t first_ns = 0, last_ns = 0;
    store::PointPlace at;
  };
  struct ValueKey {
    pid_t pid = 0;
    std::uint32_t track = 0;
    std::string name;
    friend auto operator<=>(const ValueKey&, const ValueKey&) = default;
  };
  struct Series {
    std::string key;
    std::optional<ValueKey> value;  // one of the two
    std::optional<run::SeriesKey> metric;
    Pyramid pyramid;
    // Of a sealed run's metric: its pyramid is made when it is first asked for.
    std::vector<Place> chunks;
    std::uint64_t chunk_count = 0;
    double chunk_min = 0, chunk_max = 0;
    bool summed_up = true;
  };

  explicit RunSeries(store::PointScan scan) : scan_(std::move(scan)) {}

  void values(const store::ValueColumns& columns, store::PointPlace place) override;
  void samples(std::span<const run::Sample> samples, store::PointPlace place) override;
  void chunk(const store::PointChunk& chunk, store::PointPlace place) override;
  void proc(const run::Proc& proc) override;

  Series& series_of(ValueKey key);
  Series& series_of(const run::SeriesKey& key);
  void find_numbers(const store::ValueColumns& columns);
  void sum_up(Series& series);
  SeriesInfo info_of(Series& series);
  double x_of(Axis axis, std::int64_t t_ns, std::int64_t step) const;
  std::vector<CurvePoint> near_points(Series& series, const SeriesQuery& query, double from,
                                      double to, bool& single);
  std::vector<CurvePoint> raw_points(const Series& series, Axis axis, std::int64_t from_ns,
                                     std::int64_t to_ns);

  store::PointScan scan_;
  std::vector<std::unique_ptr<Series>> series_;
  std::map<ValueKey, Series*> by_value_;
  std::map<run::SeriesKey, Series*> by_metric_;
  std::unordered_map<std::string, Series*> by_key_;
  std::unordered_map<pid_t, int> ranks_;
  std::map<pid_t, std::vector<Place>> value_places_;
  std::vector<Place> sample_places_;
  // Of the piece that is being taken: the series of each of its names, by track.
  std::vector<std::string_view> names_;
  std::vector<Series*> numbers_;
  std::uint32_t numbers_track_ = 0;
  store::ValueColumns again_;
};

}  // namespace flatout::serve
