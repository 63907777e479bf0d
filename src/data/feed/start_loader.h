// Loaders of pictures and of arrays: with how many threads, what prefetch depth and which memory,
// where nobody said a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "data/batch/page_pin.h"
#include "data/feed/array_source.h"
#include "data/feed/batch_mix.h"
#include "data/feed/image_maker.h"
#include "data/feed/loader.h"
#include "data/tune/machine.h"

namespace flatout::data {

struct StartOptions {
  LoaderOptions loader;    // its `ahead`: 0 where nothing is said; what it tunes is found here
  int threads = 0;         // 0: nothing is said
  bool tune = true;        // what is not said
  std::int64_t ranks = 1;  // processes of the job, wherever they run
};

// What is other for an engine whose batches go to a device.
struct ForDevice {
  std::shared_ptr<PagePin> pin = nullptr;
  std::size_t in_flight = 0;    // batches that may be on their way
  std::size_t extra_bytes = 0;  // of a batch of pictures, behind them
};

base::Result<Loader> start_pictures(const StartOptions& options, const tune::Machine& machine,
                                    std::shared_ptr<const ImageRecipe> recipe,
                                    const MixOptions& mix, const ForDevice& device);

base::Result<Loader> start_arrays(const StartOptions& options, const tune::Machine& machine,
                                  std::shared_ptr<const ArraySource> arrays,
                                  const ForDevice& device);

}  // namespace flatout::data
