// Ranges and zoom over the series of one run: what charts and exports read. Of
// a sealed run only the chunks in question are read, and of those only their
// statistics where these are fine enough; a run that still has its log is read
// whole. A reader sees the run as it was when it was opened. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "run/timeline.h"
#include "store/run_reader.h"

namespace flatout::store {

struct SeriesInfo {
  run::SeriesKey key;
  std::uint64_t count = 0;
  std::int64_t first_ns = 0;  // CLOCK_MONOTONIC, as all times of a run
  std::int64_t last_ns = 0;
};

// Readings of one slice of time. Values that are not finite (a loss that went
// to NaN) are counted and left out of the rest.
struct Bucket {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  // exclusive
  std::uint64_t count = 0;
  std::uint64_t finite = 0;  // 0: min, max and mean mean nothing
  double min = 0, max = 0, mean = 0;
};

class SeriesReader {
 public:
  // Errors as read_run.
  static base::Result<SeriesReader> open(const std::filesystem::path& folder,
                                         const Viewpoint& from);
  SeriesReader(SeriesReader&&) noexcept;
  SeriesReader& operator=(SeriesReader&&) noexcept;
  ~SeriesReader();

  // In order of key.
  const std::vector<SeriesInfo>& series() const;

  // Readings with from_ns <= t < to_ns, in order of time. Empty for a series
  // that the run does not have.
  base::Result<std::vector<run::Point>> points(const run::SeriesKey& key, std::int64_t from_ns,
                                               std::int64_t to_ns) const;

  // [from_ns, to_ns) cut into `buckets` slices of the same length; those
  // without a reading are left out. A reading may be counted to the slice
  // before its own, at most half a slice from it, and min, max and mean may
  // differ by 1e-6 of their value, where statistics stand for readings.
  // kInvalid for an empty range or no buckets.
  base::Result<std::vector<Bucket>> zoom(const run::SeriesKey& key, std::int64_t from_ns,
                                         std::int64_t to_ns, std::size_t buckets) const;

  // Chunks of readings that were decoded so far; 0 for a run with its log. For
  // tests and benches.
  std::uint64_t chunks_decoded() const;

 private:
  struct State;
  explicit SeriesReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace flatout::store
