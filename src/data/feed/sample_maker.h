// What turns the number of a sample into its place in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/result.h"
#include "base/time.h"

namespace flatout::data {

// Where the time of a thread went, for one sample or summed over many.
struct StageTimes {
  base::DurationNs read = 0;
  base::DurationNs decode = 0;
  base::DurationNs transform = 0;

  base::DurationNs total() const { return read + decode + transform; }

  StageTimes& operator+=(const StageTimes& other) {
    read += other.read;
    decode += other.decode;
    transform += other.transform;
    return *this;
  }
};

// Belongs to one thread, with its decoder and its scratch memory. What it writes depends on `index`
// and `epoch` only, never on what it made before.
class SampleMaker {
 public:
  virtual ~SampleMaker() = default;

  // Fills `out`, the sample's whole place. After an error its content means nothing.
  virtual base::Result<void> make(std::int64_t index, std::uint32_t epoch, std::span<std::byte> out,
                                  StageTimes& times) = 0;
};

// Called once by each thread that makes samples.
using MakeMaker = std::function<std::unique_ptr<SampleMaker>()>;

}  // namespace flatout::data
