// A program that runs on while settings are switched, measured in blocks of steps. Whoever can
// drive one implements this; apply decides which blocks and what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "run/plan.h"

namespace flatout::apply {

// A block that is a run of training from one state, which the first of such blocks takes. The next
// block that is none puts it back.
enum class TrainingRun : std::uint8_t {
  kNone,
  kFreshBatches,
  kSameBatches,  // those of the first run, and the same random numbers
};

// How a run moved the parameters, beside the second run with the same batches.
struct Movement {
  double cosine = 1;  // between both movements
  double ratio = 1;   // of the sizes of both
  double least = 1;   // likewise of a single parameter, of those that moved there
  double most = 1;
};

struct TrainingSeen {
  std::vector<double> losses = {};  // of each backward; NaN where it was not finite
  std::optional<Movement> moved = {};
};

struct BlockSpec {
  // All that shall be set, of those knobs that can be switched; what else was set is put back.
  std::vector<run::KnobSetting> knobs;
  std::uint64_t settle_steps = 0;   // after the switch, before the block begins
  std::uint64_t steps = 1;          // at least
  base::DurationNs least_ns = 0;    // the block lasts that long at least
  base::DurationNs timeout_ns = 0;  // from asking to the answer
  bool with_epochs = false;         // one that begins, or an evaluation, is part of the block
  TrainingRun training = TrainingRun::kNone;
  bool stays = false;  // other settings do not come: what is kept for switching back may go
};

enum class BlockOutcome : std::uint8_t {
  kMeasured,
  kDisturbed,     // epochs or evaluations begin again and again: they are shorter than the block
  kNotSwitched,   // the settings could not be put in place at all; see `why`
  kProgramEnded,  // by itself, by an error of its own, or as it ran out of memory
  kTimeout,
  kInterrupted,  // by the user
};

struct BlockResult {
  BlockOutcome outcome = BlockOutcome::kProgramEnded;
  std::uint64_t steps = 0;
  base::DurationNs block_ns = 0;   // of these steps
  base::DurationNs switch_ns = 0;  // putting the settings in place
  base::DurationNs settle_ns = 0;
  std::vector<run::KnobOutcome> outcomes = {};  // of the settings
  TrainingSeen training = {};                   // of such a run
  std::string why = {};                         // one clause, where it was not measured
};

struct TrialResult;

// Ends with the object: nothing of the program is left then.
class DrivenProgram {
 public:
  virtual ~DrivenProgram() = default;
  virtual BlockResult block(const BlockSpec& spec) = 0;
  // It waits at the end of a step until the next block. False: it did not come so far.
  virtual bool rest() = 0;
  // Its recording ends, and is what a trial of the steps so far would be; it rests from then on.
  // That is the whole run of a program that has ended. At most once. kUnavailable where nothing was
  // recorded, or it did not come to rest.
  virtual base::Result<TrialResult> recorded() = 0;
  // It is driven no more: the trial that it would have been without, once that has ended. For a
  // program whose first block found several processes that train. At most once, and nothing after
  // it.
  virtual base::Result<TrialResult> let_go(base::DurationNs at_most) = 0;
  virtual std::string run() const = 0;  // its id in the store
};

}  // namespace flatout::apply
