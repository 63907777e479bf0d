// From CUPTI's times to CLOCK_MONOTONIC. Where CUPTI takes a clock of its client, it is given this
// one, and its times are ours at once. A CUPTI that does not keeps its own, and a straight line is
// laid through two moments at which both were read.
#pragma once

#include <cstdint>

#include "inject/cupti/cupti_api.h"

namespace flatout::inject::cupti {

// Of two clocks at one moment.
struct ClockPair {
  std::uint64_t cupti = 0;
  std::int64_t monotonic_ns = 0;
};

class HostClock {
 public:
  // Before any kind is enabled. Thread: whoever begins the first window.
  void choose(const Api& api);
  // Again and again while tracing is on.
  void compare(const Api& api);
  // Another client comes: what is registered with CUPTI cannot be taken back, so from now on it
  // answers as CUPTI's own clock does.
  void hand_back();

  std::int64_t monotonic_ns(std::uint64_t cupti) const;

  // What monotonic_ns() does without a clock of ours.
  static std::int64_t on_line(const ClockPair& first, const ClockPair& last, std::uint64_t cupti);

 private:
  bool direct_ = false;
  ClockPair first_;
  ClockPair last_;
};

}  // namespace flatout::inject::cupti
