// How to set a plan's knobs by hand. Pure.
#pragma once

#include <string>

#include "app/hand_edits.h"
#include "run/plan.h"

namespace flatout::cli {

// For each knob the lines for the plain script, Hugging Face's TrainingArguments
// and Lightning's Trainer; with the places that `edits` knows, and its diff at the end.
std::string explained_by_hand(const run::Plan& plan, const app::HandEdits& edits);

}  // namespace flatout::cli
