// One pass over the readings and the named values of a recording, as columns, which goes on later
// where it stopped; and any part of them again. For whoever shows curves: it holds nothing of what
// it hands over. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "run/event.h"
#include "run/run.h"
#include "run/sample.h"
#include "run/timeline.h"
#include "store/value_columns.h"

namespace flatout::store {

// Where a piece lies, to be read again.
struct PointPlace {
  std::int64_t at = 0;
  std::int64_t source = 0;  // which of several tables; of no interest outside
};

struct PointChunk {
  run::SeriesKey key;
  std::int64_t first_ns = 0, last_ns = 0;
  std::uint64_t count = 0, finite = 0;
  double min = 0, max = 0;  // of the finite ones
};

class PointTaker {
 public:
  virtual ~PointTaker() = default;
  // Values that one process named together; times may go back.
  virtual void values(const ValueColumns& columns, PointPlace place) = 0;
  // Readings of one moment, or of several.
  virtual void samples(std::span<const run::Sample> samples, PointPlace place) = 0;
  // Readings of a sealed run lie apart by series: what is known of a piece without reading it.
  virtual void chunk(const PointChunk& chunk, PointPlace place) = 0;
  // Who said it.
  virtual void proc(const run::Proc&) {}
  // Only where open() was asked for them.
  virtual void fact(pid_t, const run::Fact&) {}
  // False: next() ends before what comes next, and is not to be called again.
  virtual bool wants_more() const { return true; }
};

// What a recording was when somebody looked at it: two that are equal hold the same points.
struct RecordingStamp {
  bool sealed = false;
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;
  std::int64_t tail = 0;  // checksum of its last bytes
  friend bool operator==(const RecordingStamp&, const RecordingStamp&) = default;
};

// What next() hands over, beside the run and its processes.
enum class ScanOf { kPoints, kValues, kFacts };

class PointScan {
 public:
  // kNotFound: nothing was recorded.
  static base::Result<PointScan> open(const std::filesystem::path& folder,
                                      ScanOf what = ScanOf::kPoints);
  PointScan(PointScan&&) noexcept;
  PointScan& operator=(PointScan&&) noexcept;
  ~PointScan();

  bool sealed() const;
  const run::RunInfo& info() const;  // after the first next()
  // Nothing will be added to it: it is sealed, or next() has met its end.
  bool ended() const;
  base::Result<RecordingStamp> stamp();

  // What has come since the last call; all of it the first time. An Error is the operating
  // system's; the next call goes on.
  base::Result<void> next(PointTaker& taker);
  // Instead of it, for a taker that knows all else of a recording that has ended: the chunks alone.
  void next_chunks(PointTaker& taker);

  // That piece once more; false where it can no longer be read.
  bool values_at(PointPlace place, ValueColumns& out);
  bool samples_at(PointPlace place, std::vector<run::Sample>& out);
  bool chunk_at(PointPlace place, std::vector<std::int64_t>& times_ns, std::vector<double>& values);

 private:
  struct State;
  explicit PointScan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace flatout::store
