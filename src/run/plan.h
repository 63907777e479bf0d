// A plan: knobs with values that flatout sets in a program which nobody edits,
// and what the program's hooks say became of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/predictor.h"

namespace flatout::run {

struct KnobSetting {
  std::string knob;   // "dataloader.num_workers"
  std::string value;  // a JSON literal: "6", "true", "\"bf16\""
  friend bool operator==(const KnobSetting&, const KnobSetting&) = default;
};

// The literal as Python writes it: "True" for "true", "None" for "null".
std::string python_literal(const std::string& json);

struct PlanEntry {
  KnobSetting setting;
  std::string from;                  // the program's own value, a JSON literal; "" = not known
  std::optional<Speedup> predicted;  // over the entries before it
  std::optional<Speedup> measured;   // the same, from trials
  std::vector<std::string> runs;     // ids of the trials that measured it
};

struct Plan {
  std::string made_by;             // "flatout 0.1.0 tune k7f2", "" = written by hand
  std::vector<PlanEntry> entries;  // in the order in which they were kept
};

// What a process of the program said of one knob (facts::kKnob). A later word
// of the same process replaces its earlier one.
struct KnobOutcome {
  KnobSetting asked;
  std::string from;  // what it replaced, a JSON literal; "" = not known
  bool applied = false;
  std::string reason;  // why not, one sentence without a full stop; "" where it was
};

}  // namespace flatout::run
