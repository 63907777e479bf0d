// Blocks of steps that are measured in a program which is driven: how long each is, which of a pair
// comes first, and what one shows. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "apply/arms.h"
#include "apply/driven_program.h"
#include "base/time.h"

namespace flatout::apply {

constexpr std::uint64_t kBlockSteps = 6;
constexpr base::DurationNs kBlockNs = base::kSecond / 4;  // a stop of a few ms is a few per cent
constexpr std::uint64_t kSettleSteps = 3;

// A comparison in blocks has to allow for these.
struct BlockNeeds {
  bool loader = false;    // an iterator is switched: its workers have queued batches
  bool compiles = false;  // when a setting is first in force
};

// The program at the time of the block.
struct BlockPace {
  int workers = 0;  // of the loader under the block's settings
  int ahead = 2;    // batches that each fetches ahead
  double step_s = 0;
};

// Among the blocks of its program.
struct BlockTurn {
  bool first = false;   // under settings that were never in force: it only shows if they are taken
  bool stands = false;  // the same settings were in force before it
  bool rested = false;  // the program has rested since: what was queued meanwhile comes at once
};

// `knobs` of the request are those of `stack` that can be switched. Its timeout is that of a
// program which takes ten times as long as usual.
BlockSpec block_request(const Stack& stack, const BlockPace& pace, const BlockNeeds& needs,
                        const BlockTurn& turn);

// In random order, which no period of the program's follows. `random` is not 0, and is moved on.
bool candidate_first(std::uint32_t& random);

double step_s_of(const BlockResult& block);
// The program's word on the knob, null where it has none.
const run::KnobOutcome* outcome_in(const BlockResult& block, std::string_view knob);

}  // namespace flatout::apply
