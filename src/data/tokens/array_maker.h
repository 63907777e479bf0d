// What makers of arrays have in common: a set, memory to read into, and the sample's number in each
// message.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "data/feed/array_source.h"
#include "data/feed/sample_maker.h"
#include "data/source/source.h"

namespace flatout::data {

// Adds the time since it was last asked to a stage.
class StageLap {
 public:
  void into(base::DurationNs& stage) {
    const base::TimeNs now = base::read_clock_ns(CLOCK_MONOTONIC);
    stage += now - since_;
    since_ = now;
  }

 private:
  base::TimeNs since_ = base::read_clock_ns(CLOCK_MONOTONIC);
};

// `Set` has `Result<void> write(index, at, buffer, times) const`.
template <typename Set>
class ArrayMaker final : public SampleMaker {
 public:
  // Keeps `set` alive, of which `of` is a part.
  ArrayMaker(std::shared_ptr<const ArraySource> set, const Set& of)
      : set_(std::move(set)), of_(of) {}

  base::Result<void> make(std::int64_t index, std::uint32_t epoch, std::span<std::byte> out,
                          StageTimes& times) override {
    return make_at(index, epoch, {.batch = out.data(), .sample_bytes = out.size()}, times);
  }

  base::Result<void> make_at(std::int64_t index, std::uint32_t /*epoch*/, const BatchPlace& at,
                             StageTimes& times) override {
    auto written = of_.write(index, at, buffer_, times);
    if (written) return written;
    return base::fail(written.error().code,
                      "sample " + std::to_string(index) + ": " + written.error().message);
  }

 private:
  std::shared_ptr<const ArraySource> set_;
  const Set& of_;
  ReadBuffer buffer_;
};

}  // namespace flatout::data
