// The phases of a step and the kinds of interval. std only: this header is
// also compiled into the observed process. The numbers are part of the wire
// and of the stored log: append, never renumber.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace flatout::run {

enum class Phase : std::uint8_t {
  kOther = 0,  // all else; never written, it is what remains
  kDataWait = 1,
  kH2d = 2,
  kForward = 3,
  kBackward = 4,
  kOptimizer = 5,
  kComm = 6,
  kSync = 7,
  kCheckpoint = 8,
  kIterBuild = 9,  // building a loader's iterator: an interval, not a phase
  kEval = 10,      // evaluation as the program marks it: an interval
  kStep = 11,      // only ends: the program says that a step is over
  kReplay = 12,    // replay of a CUDA graph that holds an update: its host time is kOther's
};

constexpr std::size_t kPhaseCount = 9;  // phases of a step, kOther included

constexpr std::array<std::string_view, 13> kPhaseNames = {
    "other", "data_wait",  "h2d",        "forward", "backward", "optimizer", "comm",
    "sync",  "checkpoint", "iter_build", "eval",    "step",     "replay"};

constexpr std::string_view phase_name(Phase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

}  // namespace flatout::run
