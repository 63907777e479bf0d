// What loading costs without a training loop behind it: `flatout bench data`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/data_library.h"
#include "base/result.h"
#include "base/time.h"

namespace flatout::cli {

// Samples in memory at the end, and how often the counted epochs found one there.
struct BenchCache {
  std::int64_t samples = 0;
  std::int64_t bytes = 0;
  std::int64_t hits = 0;
  std::int64_t misses = 0;
};

struct BenchData {
  std::int64_t samples = 0;  // of an epoch
  int threads = 0;
  base::DurationNs first_batch_ns = 0;  // from opening, of the epoch that is not counted
  std::vector<double> samples_per_s;    // one an epoch
  // Of all threads, over the counted epochs.
  base::DurationNs read_ns = 0;
  base::DurationNs decode_ns = 0;
  base::DurationNs transform_ns = 0;
  std::int64_t made = 0;                           // samples that these belong to
  std::int64_t skipped = 0;                        // bad ones, left out
  std::optional<BenchCache> cache = std::nullopt;  // where one was asked for
};

// Median; 0 where there is none.
double median(std::vector<double> values);

// What `threads` could make if they did nothing else, in samples a second: threads over the time of
// a sample. 0 where nothing was made.
double ceiling_per_s(const BenchData& bench);

// Opens what `spec` describes, goes through one epoch and then `epochs` more. Errors are those of
// the library.
base::Result<BenchData> bench_data(const app::DataLibrary& library, const std::string& spec,
                                   int epochs, const base::Clock& clock);

std::string bench_data_text(const BenchData& bench, const std::string& what);
std::string bench_data_json(const BenchData& bench);  // flatout.bench_data/1

}  // namespace flatout::cli
