// When tracing is on. Pure: whoever asks brings the time.
#pragma once

#include <cstdint>

namespace flatout::inject::cupti {

// Times are CLOCK_MONOTONIC nanoseconds.
class WindowSchedule {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;
  static constexpr std::int64_t kFirstPauseNs = 2'000'000'000;
  static constexpr std::int64_t kLongestPauseNs = 30'000'000'000;

  // On from `now` to the end.
  static WindowSchedule always(std::int64_t now) { return WindowSchedule(now, kNever); }
  // Windows of `length_ns`; the first begins `delay_ns` after `now`, and the pauses between them
  // double, so that a short run has some and a long one stays cheap.
  static WindowSchedule windows(std::int64_t now, std::int64_t delay_ns, std::int64_t length_ns) {
    return WindowSchedule(now + delay_ns, length_ns);
  }

  // The next window begins at once, and the pauses are as in the beginning.
  void restart(std::int64_t now) {
    begins_ns_ = now;
    pause_ns_ = kFirstPauseNs;
  }

  // Of the window that is open, or of the next one.
  std::int64_t begins_ns() const { return begins_ns_; }

  // The window has begun at `now`; returns when it is to end.
  std::int64_t began(std::int64_t now) const {
    return length_ns_ == kNever ? kNever : now + length_ns_;
  }

  // It has ended at `now`.
  void ended(std::int64_t now) {
    begins_ns_ = length_ns_ == kNever ? kNever : now + pause_ns_;
    pause_ns_ = pause_ns_ * 2 < kLongestPauseNs ? pause_ns_ * 2 : kLongestPauseNs;
  }

 private:
  WindowSchedule(std::int64_t begins_ns, std::int64_t length_ns)
      : begins_ns_(begins_ns), length_ns_(length_ns) {}

  std::int64_t begins_ns_;
  std::int64_t length_ns_;
  std::int64_t pause_ns_ = kFirstPauseNs;
};

}  // namespace flatout::inject::cupti
