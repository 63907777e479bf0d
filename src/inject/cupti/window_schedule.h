// When tracing is on. Pure: whoever asks brings the time.
//
// CUPTI takes some of the program's time for each record, so what a window has cost is known when
// it is over, and the pause behind it is at least kPausePerCost times as long, however fast the
// program launches. Where that is short, pauses double, so that a short run has some windows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flatout::inject::cupti {

// Times are CLOCK_MONOTONIC nanoseconds.
class WindowSchedule {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;
  static constexpr std::int64_t kFirstPauseNs = 2'000'000'000;
  static constexpr std::int64_t kLongestPauseNs = 30'000'000'000;
  // A launch took 0.87 us longer with two records made of it, and 1.06 us with three (H200, CUPTI
  // 13.0, docs/benchmarks/gpu-trace-2026-11-26.md).
  static constexpr std::int64_t kRecordNs = 440;
  // 0.3 %, of the 0.5 % that a run's windows may cost in all (docs/decisions/0075).
  static constexpr std::int64_t kPausePerCost = 333;

  // On from `now` to the end.
  static WindowSchedule always(std::int64_t now) { return WindowSchedule(now, kNever); }
  // Windows of `length_ns`; the first begins `delay_ns` after `now`.
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

  // It has ended at `now`, with so many records.
  void ended(std::int64_t now, std::uint64_t records) {
    constexpr std::uint64_t kMost = kNever / 2 / (kRecordNs * kPausePerCost);
    const auto paid_off =
        static_cast<std::int64_t>(std::min(records, kMost)) * kRecordNs * kPausePerCost;
    begins_ns_ = length_ns_ == kNever ? kNever : now + std::max(pause_ns_, paid_off);
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
