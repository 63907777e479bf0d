// Plans as files and as what the hooks read. Pure but for read_plan; any thread.
//
//     [knobs]
//     dataloader.num_workers = 6
//     program.prefetch = 8              # a variable that the program declares
//
//     [[knob]]                          # one that the user made
//     name = "workers"
//     argument = "--workers={}"         # or environment = "OMP_NUM_THREADS={}"
//     value = 4
//
//     [unproved]                        # faster for sure, the same training not yet proved:
//     precision.bf16 = true             # set on request only (run --accept-unproved)
//
//     [[evidence]]                      # optional, written by flatout tune
//     knob = "dataloader.num_workers"
//     from = 0
//     predicted = [2.4, 2.1, 2.6]       # ratio and 95 % interval, over the knobs before it
//     measured = [2.46, 2.41, 2.5]
//     runs = ["k7f2", "m3qa"]
//
// Values are integers, floats, booleans and strings; the text is ASCII. See
// docs/formats/plan.md.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apply/plan_settings.h"
#include "base/result.h"
#include "run/plan.h"

namespace flatout::apply {

constexpr std::size_t kMaxPlanBytes = 1U << 20;

// kInvalid: not TOML, or not a plan; the message names `name`, the line and
// what is wanted there, also for a value that its knob does not take. Entries come in the order of
// the text, those of [[knob]] last. Knobs that this version does not know are kept (see
// why_unknown).
base::Result<run::Plan> parse_plan(std::string_view text, const std::string& name);

// Also kNotFound, kTooLarge and what else reading a file may bring.
base::Result<run::Plan> read_plan(const std::filesystem::path& path);

// parse_plan(plan_text(p)) gives p again, speedups to four digits and the user's knobs behind the
// others; `comments` stand at its head, a line each.
std::string plan_text(const run::Plan& plan, const std::vector<std::string>& comments = {});

// All entries of `plans` as one plan; of a knob set twice, the later one counts
// and keeps the earlier one's place.
run::Plan compose(const std::vector<run::Plan>& plans);

}  // namespace flatout::apply
