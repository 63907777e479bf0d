#include "cupti/clock.h"

#include <time.h>

#include <algorithm>
#include <cmath>

namespace simgpu::cupti {
namespace {

std::uint64_t realtime() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

constexpr std::size_t kMostMoments = 1 << 14U;
constexpr Nanoseconds kApart = 10 * kMillisecond;  // closer ones would show the reading's own error

}  // namespace

void ClientClock::use(CUpti_TimestampCallbackFunc callback) {
  callback_ = callback;
  moments_.clear();
  compare(now());
}

std::uint64_t ClientClock::read() const {
  const CUpti_TimestampCallbackFunc callback = callback_.load();
  return callback != nullptr ? callback() : realtime();
}

// The pair that was read in the shortest time of several: a thread may be put aside between two
// readings.
ClientClock::Moment ClientClock::moment() const {
  Moment best;
  Nanoseconds shortest = 0;
  for (int attempt = 0; attempt < 9; ++attempt) {
    const Nanoseconds before = now();
    const std::uint64_t theirs = read();
    const Nanoseconds after = now();
    if (attempt == 0 || after - before < shortest) {
      shortest = after - before;
      best = {.ours = before + (after - before) / 2, .theirs = theirs};
    }
  }
  return best;
}

void ClientClock::compare(Nanoseconds until) {
  if (!moments_.empty() && moments_.back().ours >= until) {
    return;
  }
  if (moments_.size() >= kMostMoments) {
    moments_.erase(moments_.begin() + 1, moments_.begin() + kMostMoments / 2);
  }
  if (moments_.size() > 1 && moments_.back().ours - moments_[moments_.size() - 2].ours < kApart) {
    moments_.pop_back();
  }
  moments_.push_back(moment());
}

std::uint64_t ClientClock::convert(Nanoseconds at) const {
  if (moments_.empty()) {
    return 0;
  }
  if (moments_.size() == 1) {
    return moments_[0].theirs + static_cast<std::uint64_t>(at - moments_[0].ours);
  }
  auto after =
      std::lower_bound(moments_.begin() + 1, moments_.end(), at,
                       [](const Moment& one, Nanoseconds time) { return one.ours < time; });
  after = after == moments_.end() ? after - 1 : after;
  const Moment& first = *(after - 1);
  const double rate = static_cast<double>(static_cast<std::int64_t>(after->theirs - first.theirs)) /
                      static_cast<double>(after->ours - first.ours);
  return first.theirs +
         static_cast<std::uint64_t>(std::llround(rate * static_cast<double>(at - first.ours)));
}

}  // namespace simgpu::cupti
