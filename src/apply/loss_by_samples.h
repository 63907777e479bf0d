// Whether a knob that changes training (another effective batch) spoils it. Its steps
// are not those of the program as it is, so losses are compared over the same samples
// seen: the mean over the second half of the range that all trials have, each loss
// counted by its samples. Pure.
//
// It may be as high as other seeds would give: the upper prediction bound for one more
// value from three trials with three seeds (Hahn, see loss_gate.h), at 99 %. A lower loss
// is no harm. What shows only later than a trial lasts, it cannot tell.
#pragma once

#include <span>

#include "apply/loss_gate.h"

namespace flatout::apply {

// `program`: a trial with the program's own seeds; `other_seeds`: with moved ones.
// Inconclusive where samples are not known or the range holds fewer than kFewestLosses
// losses of any trial; the reason then says how many steps would be enough.
GateOpinion judge_by_samples(const LossEvidence& program, std::span<const LossEvidence> other_seeds,
                             const LossEvidence& candidate);

}  // namespace flatout::apply
