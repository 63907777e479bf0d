// What makers of arrays have in common: a set, memory to read into, and the sample's number in each
// message.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "data/feed/array_source.h"
#include "data/feed/sample_maker.h"
#include "data/tokens/array_work.h"

namespace flatout::data {

// `Set` has `Result<void> write(index, at, work) const`, and `void fetch(index, work) const`, which
// says to `work` where the sample's numbers lie.
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
                             StageTimes& /*times*/) override {
    work_.begin();
    auto written = of_.write(index, at, work_);
    if (written) return written;
    return base::fail(written.error().code,
                      "sample " + std::to_string(index) + ": " + written.error().message);
  }

  void soon(std::int64_t index) override { of_.fetch(index, work_); }
  void begin_claim() override { work_.begin_claim(); }
  bool end_claim(StageTimes& times) override { return work_.end_claim(times); }

 private:
  std::shared_ptr<const ArraySource> set_;
  const Set& of_;
  ArrayWork work_;
};

}  // namespace flatout::data
