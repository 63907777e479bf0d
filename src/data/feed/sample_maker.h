// What turns the number of a sample into its place in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/time.h"

namespace flatout::data {

// Nanoseconds by stage: of one sample, or summed over many and over all threads.
struct StageSums {
  base::DurationNs read = 0;
  base::DurationNs decode = 0;
  base::DurationNs transform = 0;
  base::DurationNs mix = 0;  // of whole batches

  base::DurationNs total() const { return read + decode + transform + mix; }

  StageSums& operator+=(const StageSums& other) {
    read += other.read;
    decode += other.decode;
    transform += other.transform;
    mix += other.mix;
    return *this;
  }
};
using Stage = base::DurationNs StageSums::*;

// Where the time of a thread went, by the wall clock.
struct StageTimes : StageSums {
  StageSums looked;  // the part of it whose CPU time was looked at
  StageSums cpu;     // and that CPU time

  StageTimes& operator+=(const StageTimes& other) {
    StageSums::operator+=(other);
    looked += other.looked;
    cpu += other.cpu;
    return *this;
  }

  // The part of a stage's time in which its threads computed; in the rest they waited, for bytes or
  // for a core. As it was where it was looked at; absent where it never was.
  std::optional<base::DurationNs> busy(Stage stage) const;
};

// Where a batch consists of several arrays, each begins at a multiple of this many bytes.
constexpr std::size_t kArrayAlignment = 64;

// Where the next array begins behind one that ends at `bytes`.
constexpr std::size_t aligned_array(std::size_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

// Where a sample lies in its batch.
struct BatchPlace {
  std::byte* batch = nullptr;    // the batch's memory
  std::size_t samples = 1;       // of this batch
  std::size_t place = 0;         // of this sample
  std::size_t sample_bytes = 0;  // of one, at most
};

// Belongs to one thread, with its decoder and its scratch memory. What it writes depends on `index`
// and `epoch` only, never on what it made before.
class SampleMaker {
 public:
  virtual ~SampleMaker() = default;

  // Fills `out`, the sample's whole place. After an error its content means nothing.
  virtual base::Result<void> make(std::int64_t index, std::uint32_t epoch, std::span<std::byte> out,
                                  StageTimes& times) = 0;

  // The same in a batch, where samples lie one after the other; otherwise a maker places them.
  virtual base::Result<void> make_at(std::int64_t index, std::uint32_t epoch, const BatchPlace& at,
                                     StageTimes& times) {
    return make(index, epoch, {at.batch + at.place * at.sample_bytes, at.sample_bytes}, times);
  }

  // A hint: this sample is likely the one after the next.
  virtual void soon(std::int64_t /*index*/) {}

  // Around the samples that a thread takes at a time. False at their end: what came since the
  // beginning means nothing, and is to be made again, without another beginning; then it is true.
  // A maker may tell here, and not for each sample, how long they took.
  virtual void begin_claim() {}
  virtual bool end_claim(StageTimes& /*times*/) { return true; }
};

// Called once by each thread that makes samples.
using MakeMaker = std::function<std::unique_ptr<SampleMaker>()>;

}  // namespace flatout::data
