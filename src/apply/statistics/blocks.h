// A trial's steps in, steady blocks of them out. Pure; any thread.
//
// A block holds whole worker rounds: with w workers, batches arrive in groups of
// w, one step waits and w - 1 do not, so that only whole rounds are alike. (Where
// a step draws several batches, w steps hold several rounds: whole ones still.)
//
// Blocks are as long as leaves kWantedBlocks of them, because neighbouring steps
// are alike and the means of long blocks are nearly not. More blocks would know
// the variance hardly better (Schmeiser, "Batch size effects in the analysis of
// simulation output", Operations Research 30(3), 1982): the length is worth more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace flatout::apply {

constexpr int kFewestBlocks = 4;       // fewer tell nothing of their spread
constexpr int kWantedBlocks = 8;       // up to 15 where the steps do not divide evenly
constexpr int kShortestBlock = 3;      // steps, of a program without workers
constexpr int kFewestWarmUpSteps = 5;  // lazy initialisation, allocator, first batches

struct TimedStep {
  std::int64_t end_ns = 0;        // any one clock
  std::int64_t own_ns = 0;        // wall time of the step itself, without what lies between epochs
  double samples = 1;             // where a program's samples are not known: 1 for each step
  std::int64_t wait_ns = 0;       // of own_ns, in the loader's next
  std::int64_t epoch_gap_ns = 0;  // in its window, beside own_ns: iterators that end and are built
  std::int64_t eval_ns = 0;       // likewise, evaluation
  bool begins_epoch = false;      // the first batch of an epoch is drawn in it
};

struct Block {
  double samples = 0;
  double seconds = 0;
};

struct Throughput {
  int warmup_steps = 0;  // cut from the start, at most half of the steps
  int block_steps = 0;
  // In order of time, without gaps, up to the last step. Less than one block of
  // steps between the warm-up and the first block belongs to neither.
  std::vector<Block> blocks;
  double samples_per_s = 0;  // over all blocks: samples over time, not a mean of rates
  int steady_steps = 0;      // in all blocks
  // The charge of clock_rate.h: the share of the clock that begins of epochs take, which blocks do
  // not hold, and the variance of the log rate that comes from it.
  double start_share = 0;
  double start_variance = 0;
};

// False where a step ends before the one before it, took no time or has no samples.
bool is_measurement(std::span<const TimedStep> steps);

// The number of steps from which steady_throughput() finds enough blocks however
// long the warm-up is. Half of it and the warm-up is enough if that is short.
std::int64_t always_enough_steps(int workers);

// `steps` in order of time; `workers`: loader workers, below 1 counts as 1. The
// warm-up (page cache, queue that fills, compilation; slower or faster than the
// rest) ends at a change point, see steady_state.h; at least kFewestWarmUpSteps
// and one worker round are cut, never more than half.
//
// Absent where fewer than kFewestBlocks blocks remain, since a rate without
// its uncertainty cannot be compared; and where a step ends before the one
// before it, took no time or has no samples, since such a list is no measurement.
std::optional<Throughput> steady_throughput(std::span<const TimedStep> steps, int workers);

}  // namespace flatout::apply
