// Time in flatout is int64 nanoseconds of a named clock, never a bare double.
#pragma once

#include <cstdint>
#include <ctime>

namespace flatout::base {

using TimeNs = std::int64_t;      // a point on CLOCK_MONOTONIC, one machine
using WallNs = std::int64_t;      // a point on CLOCK_REALTIME, since 1970
using DurationNs = std::int64_t;  // a difference of two points of one clock

constexpr DurationNs kMicrosecond = 1'000;
constexpr DurationNs kMillisecond = 1'000'000;
constexpr DurationNs kSecond = 1'000'000'000;

inline std::int64_t read_clock_ns(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<std::int64_t>(ts.tv_sec) * kSecond + ts.tv_nsec;
}

// Lets this thread rest; shorter where a signal comes.
inline void pause_for(DurationNs ns) {
  const timespec rest{.tv_sec = ns / kSecond, .tv_nsec = ns % kSecond};
  (void)::nanosleep(&rest, nullptr);
}

// The clocks behind one interface, so that tests own time.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeNs monotonic() const = 0;
  virtual WallNs wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimeNs monotonic() const override { return read_clock_ns(CLOCK_MONOTONIC); }
  WallNs wall() const override { return read_clock_ns(CLOCK_REALTIME); }
};

// Moves only when a test says so.
class FakeClock final : public Clock {
 public:
  TimeNs monotonic() const override { return now_; }
  WallNs wall() const override { return now_ + epoch_; }
  void advance(DurationNs by) { now_ += by; }

 private:
  TimeNs now_ = 0;
  WallNs epoch_ = 1'700'000'000 * kSecond;
};

}  // namespace flatout::base
