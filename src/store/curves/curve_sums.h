// All curves of a recording, summed up as they are read, and where their points lie, to be read
// again. One thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/timeline.h"
#include "store/curves/pyramid.h"
#include "store/point_scan.h"

namespace flatout::store {

// A piece of the recording that holds points.
struct CurvePiece {
  std::int64_t first_ns = 0, last_ns = 0;
  PointPlace at;
};

// A name that a process gave values to.
struct ValueName {
  pid_t pid = 0;
  std::uint32_t track = 0;
  std::string name;
  friend auto operator<=>(const ValueName&, const ValueName&) = default;
};

// Where the levels of a pyramid lie in the file that keeps them.
struct KeptLevels {
  std::uint64_t at = 0, bytes = 0;
  std::int64_t checksum = 0;
};

struct SummedCurve {
  std::optional<ValueName> value;  // one of the two
  std::optional<run::SeriesKey> metric;
  Pyramid pyramid;
  // Of a sealed run's metric, whose points are read when somebody wants them.
  std::vector<CurvePiece> chunks;
  std::uint64_t chunk_count = 0;
  double chunk_min = 0, chunk_max = 0;
  bool summed_up = true;  // false: of its chunks
  // Set while the pyramid has its summary alone (curves/kept_curves.h).
  std::optional<KeptLevels> kept;
};

class CurveSums final : public PointTaker {
 public:
  void values(const ValueColumns& columns, PointPlace place) override;
  void samples(std::span<const run::Sample> samples, PointPlace place) override;
  void chunk(const PointChunk& chunk, PointPlace place) override;
  void proc(const run::Proc& proc) override;

  // In the order in which they were met; grows only.
  const std::vector<std::unique_ptr<SummedCurve>>& curves() const { return curves_; }
  std::span<const CurvePiece> value_pieces(pid_t pid) const;
  std::span<const CurvePiece> sample_pieces() const { return sample_pieces_; }
  std::optional<int> rank_of(pid_t pid) const;
  std::uint64_t points() const;  // in pyramids
  std::size_t bytes() const;     // in memory

 private:
  friend class KeptCurves;
  SummedCurve& curve_of(ValueName name);
  SummedCurve& curve_of(const run::SeriesKey& key);
  void forget_numbers(const ValueColumns& columns);

  std::vector<std::unique_ptr<SummedCurve>> curves_;
  std::map<ValueName, SummedCurve*> by_value_;
  std::map<run::SeriesKey, SummedCurve*> by_metric_;
  std::unordered_map<pid_t, int> ranks_;
  std::map<pid_t, std::vector<CurvePiece>> value_pieces_;
  std::vector<CurvePiece> sample_pieces_;
  // Of the piece that is being taken: the curve of each of its names, of one track.
  std::vector<SummedCurve*> numbers_;
  std::uint32_t numbers_track_ = 0;
};

}  // namespace flatout::store
