// A plan: knobs with values that flatout sets in a program which nobody edits,
// and what the program's hooks say became of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/predictor.h"

namespace flatout::run {

struct KnobSetting {
  std::string knob;   // "dataloader.num_workers"
  std::string value;  // a JSON literal: "6", "true", "\"bf16\""
  // Of a knob that the user made of an argument or a variable of the environment:
  // "--workers={}", "env:OMP_NUM_THREADS={}"; "" = the program's hooks set it.
  std::string pattern = {};
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
  // Faster for sure, but nothing shows that the training stays the same: applied on request only.
  std::vector<PlanEntry> unproved = {};
};

// A variable that the program itself offers as a knob (flatout_knob_int); its id
// is kProgramKnob and the name.
struct DeclaredKnob {
  std::string name;
  std::int64_t value = 0;            // the program's own
  std::int64_t least = 0, most = 0;  // that it allows, both included
  friend bool operator==(const DeclaredKnob&, const DeclaredKnob&) = default;
};

constexpr std::string_view kUserKnob = "user.";        // tune --knob NAME=...: "user.NAME"
constexpr std::string_view kProgramKnob = "program.";  // flatout_knob_int("NAME", ...)

// What a process of the program said of one knob (facts::kKnob). A later word
// of the same process replaces its earlier one.
struct KnobOutcome {
  KnobSetting asked;
  std::string from;  // what it replaced, a JSON literal; "" = not known
  bool applied = false;
  std::string reason;       // why not, one sentence without a full stop; "" where it was
  std::string effect = {};  // what else it changed, one clause: "learning rate x4 (...)"
  std::optional<std::int64_t> most =
      {};  // where only so large a number was too much: the largest that is not
};

}  // namespace flatout::run
