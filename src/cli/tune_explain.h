// How to set a plan's knobs by hand. Pure.
#pragma once

#include <string>

#include "run/plan.h"

namespace flatout::cli {

// For each knob the lines for the plain script, Hugging Face's TrainingArguments
// and Lightning's Trainer.
std::string explained_by_hand(const run::Plan& plan);

}  // namespace flatout::cli
