// The rate of a trial by the clock: what lies between epochs is in it. Pure; any thread.
//
// An epoch costs more than its steps: its iterator is built, workers start, the first batch comes
// late, and the `next` that ends it waits for workers to end. A rate over steps alone leaves that
// out, so that a setting which moves time from the steps into the gaps would count as a gain.
//
// Where a trial holds whole epochs, these are what is counted, from the begin of one to the begin
// of the next, with all that lies between (evaluation and checkpoints, too). The first is left out:
// it pays what a process pays once.
//
// Where an epoch is longer, steps are counted in blocks as blocks.h cuts them, and what the begin
// of an epoch costs is measured apart, from those that the trial saw: the gap before it, and what
// its first batches are waited for beyond a usual one. One that a trial saw again is believed
// before the first, which may pay what is paid once. It is charged once an epoch. Evaluation
// between such epochs is not in the rate: a trial does not see how often it comes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "apply/statistics/blocks.h"

namespace flatout::apply {

constexpr std::size_t kFewestEpochs = 3;  // whole ones after the first: fewer are no blocks

// Facts about epochs beside the steps.
struct EpochFacts {
  double loader_steps = 0;          // of an epoch, by the loader's length; 0 = not known
  std::int64_t first_build_ns = 0;  // building the first iterator, before the first step
};

enum class ClockBy : std::uint8_t {
  kSteps,   // nothing of epochs is known, or the program has none
  kEpochs,  // whole epochs
  kStarts,  // steps, and begins of epochs at their true rate
};

struct ClockRate {
  Throughput throughput;
  ClockBy by = ClockBy::kSteps;
  double epoch_steps = 0;     // 0 = not known
  bool restart_seen = false;  // an epoch began again in the trial
};

// Absent where steady_throughput() is, unless whole epochs make up for it.
std::optional<ClockRate> rate_by_clock(std::span<const TimedStep> steps, int workers,
                                       const EpochFacts& facts);

}  // namespace flatout::apply
