// A plan's knobs as what sets them: the program's hooks, its command and its
// environment. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/plan.h"

namespace flatout::apply {

// {"dataloader.num_workers":6,"user.workers":4}: all of it, as the run keeps it. ""
// for a plan without entries.
std::string plan_json(const run::Plan& plan);

// Of that what the hooks set. "" where they have nothing to set.
std::string hooks_json(const run::Plan& plan);

// Names and values of the environment that knobs of the plan set before the
// program starts: env.intraop_threads, and alloc.expandable_segments beside what the
// user's own `environment` ("NAME=value" each) says of torch's allocator (a value
// that is no number, or neither true nor false, sets nothing); those of the user; and
// FLATOUT_KNOBS for flatout_knob_int: "workers=4,batch=32".
std::vector<std::pair<std::string, std::string>> plan_environment(
    const run::Plan& plan, std::span<const std::string> environment = {});

// `command` with the arguments that knobs of the plan set.
std::vector<std::string> planned_command(const run::Plan& plan, std::vector<std::string> command);

// Set before the program starts, so that no process of it says what became of it.
bool set_from_outside(const run::KnobSetting& setting);

// Of these: by the environment, not by an argument.
bool is_variable(const run::KnobSetting& setting);

// Whether this version knows how to set it.
bool can_be_set(const run::KnobSetting& setting);

// Of one that it does not know, what to say of it: "this version knows no such knob; did you mean
// dataloader.num_workers?"
std::string why_unknown(const run::KnobSetting& setting);

}  // namespace flatout::apply
