#include "inject/cupti/host_clock.h"

#include <atomic>
#include <ctime>

#include "inject/process_state.h"

namespace flatout::inject::cupti {
namespace {

std::atomic<clockid_t> clock_for_cupti{CLOCK_MONOTONIC};

std::uint64_t read_clock(clockid_t which) {
  if (which == CLOCK_MONOTONIC) return static_cast<std::uint64_t>(now_ns());
  timespec ts{};
  ::clock_gettime(which, &ts);
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(ts.tv_nsec);
}

// CUPTI calls it on the program's threads.
std::uint64_t time_for_cupti() {
  return read_clock(clock_for_cupti.load(std::memory_order_relaxed));
}

// The clock that CUPTI reads by itself.
clockid_t own_clock_of(const Api& api) {
  constexpr std::uint64_t kAlike = 1'000'000'000;
  std::uint64_t theirs = 0;
  if (api.get_timestamp(&theirs) != kSuccess) return CLOCK_REALTIME;
  for (const clockid_t one : {CLOCK_REALTIME, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC}) {
    const std::uint64_t now = read_clock(one);
    if ((now > theirs ? now - theirs : theirs - now) < kAlike) return one;
  }
  return CLOCK_REALTIME;
}

clockid_t clock_after_us = CLOCK_REALTIME;

// The pair whose reading took the shortest of a few: a thread may be put aside between them.
ClockPair read_pair(const Api& api) {
  ClockPair best;
  std::int64_t shortest = INT64_MAX;
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::uint64_t theirs = 0;
    const std::int64_t before = now_ns();
    if (api.get_timestamp(&theirs) != kSuccess) continue;
    const std::int64_t took = now_ns() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {.cupti = theirs, .monotonic_ns = before + took / 2};
  }
  return best;
}

}  // namespace

void HostClock::choose(const Api& api) {
  clock_after_us = own_clock_of(api);
  direct_ = api.use_clock != nullptr && api.use_clock(time_for_cupti) == kSuccess;
  first_ = last_ = direct_ ? ClockPair{} : read_pair(api);
}

void HostClock::compare(const Api& api) {
  if (!direct_) last_ = read_pair(api);
}

void HostClock::hand_back() { clock_for_cupti = clock_after_us; }

std::int64_t HostClock::on_line(const ClockPair& first, const ClockPair& last,
                                std::uint64_t cupti) {
  const auto since = static_cast<std::int64_t>(cupti - first.cupti);
  const auto theirs = static_cast<std::int64_t>(last.cupti - first.cupti);
  const std::int64_t ours = last.monotonic_ns - first.monotonic_ns;
  // Two moments that are close say more of how they were read than of the clocks' speeds.
  constexpr std::int64_t kApartNs = 50'000'000;
  if (theirs < kApartNs) return first.monotonic_ns + since;
  const double drift = static_cast<double>(ours - theirs) / static_cast<double>(theirs);
  return first.monotonic_ns + since + static_cast<std::int64_t>(drift * static_cast<double>(since));
}

std::int64_t HostClock::monotonic_ns(std::uint64_t cupti) const {
  return direct_ ? static_cast<std::int64_t>(cupti) : on_line(first_, last_, cupti);
}

}  // namespace flatout::inject::cupti
