#include "data/feed/stage_clock.h"

#include <algorithm>

namespace flatout::data {
namespace {

constexpr int kCostIsAtMost = 100;  // one part in so many

}  // namespace

StageClock::StageClock()
    : StageClock(Clocks{[] { return base::read_clock_ns(CLOCK_MONOTONIC); },
                        [] { return base::read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }}) {}

void StageClock::begin() {
  since_ = clocks_.wall();
  looks_ = since_ >= next_look_;
  if (!looks_) return;
  cpu_since_ = clocks_.cpu();
  const base::TimeNs behind = clocks_.wall();
  reading_cost_ = std::min(reading_cost_, behind - since_);
  next_look_ = since_ + kCostIsAtMost * reading_cost_;
  since_ = behind;
}

void StageClock::into(Stage stage, StageTimes& times) {
  const base::TimeNs now = clocks_.wall();
  const base::DurationNs took = now - since_;
  times.*stage += took;
  since_ = now;
  if (!looks_) return;
  const base::TimeNs cpu = clocks_.cpu();
  times.looked.*stage += took;
  times.cpu.*stage += cpu - cpu_since_;
  cpu_since_ = cpu;
  next_look_ += kCostIsAtMost * reading_cost_;
}

std::optional<base::DurationNs> StageTimes::busy(Stage stage) const {
  if (looked.*stage <= 0) return std::nullopt;
  const double share = static_cast<double>(cpu.*stage) / static_cast<double>(looked.*stage);
  return static_cast<base::DurationNs>(static_cast<double>(this->*stage) *
                                       std::clamp(share, 0.0, 1.0));
}

}  // namespace flatout::data
