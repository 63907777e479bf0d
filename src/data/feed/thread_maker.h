// The maker of one of the engine's threads.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "base/result.h"
#include "data/feed/sample_maker.h"

namespace flatout::data {

// Made when it is first needed. Belongs to its thread.
class ThreadMaker {
 public:
  explicit ThreadMaker(const MakeMaker& make_maker) : make_maker_(make_maker) {}

  base::Result<void> make(std::int64_t index, std::uint32_t epoch, const BatchPlace& at,
                          StageTimes& times) {
    try {
      return maker().make_at(index, epoch, at, times);
    } catch (const std::exception& error) {  // out of memory: an error, not the program's end
      return base::fail(base::ErrorCode::kUnavailable,
                        "sample " + std::to_string(index) + ": " + error.what());
    }
  }

  void soon(std::int64_t index) {
    if (maker_ != nullptr) maker_->soon(index);
  }

  // As of the maker. Without one there is nothing to be made again.
  void begin_claim() {
    try {
      maker().begin_claim();
    } catch (const std::exception&) {  // make() meets it again, and tells
    }
  }
  bool end_claim(StageTimes& times) { return maker_ == nullptr || maker_->end_claim(times); }

 private:
  SampleMaker& maker() {
    if (maker_ == nullptr) maker_ = make_maker_();
    return *maker_;
  }

  const MakeMaker& make_maker_;
  std::unique_ptr<SampleMaker> maker_;
};

}  // namespace flatout::data
