// What is declared of flatout's own knobs (schema/knobs.toml), as all stages may ask it. The
// table itself is generated: run/knob_table.h. What a knob does is in apply/knobs/ and in the
// program's hooks. Pure, nothing is allocated; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "run/report.h"

namespace flatout::run {

// What a knob may do to the losses; the loss gate follows from it.
enum class KnobChanges : std::uint8_t { kNothing, kDraws, kRounding, kAnything, kTraining };

// Knobs that act on the same may make each other superfluous.
enum class KnobActsOn : std::uint8_t { kNothingShared, kLoading, kComputing };

// How a knob is set and put back while the program runs.
enum class KnobSwitched : std::uint8_t {
  kLive,     // at the end of any step
  kLoader,   // by a new iterator over the same loader
  kRestart,  // only when the program starts
};

// What the value is a number of, where anything follows from that: workers fill queues before a
// trial measures, and a larger batch makes its steps longer.
enum class KnobCounts : std::uint8_t { kNothing, kWorkers, kSamples };

enum class KnobValueKind : std::uint8_t {
  kSwitch,  // true or false
  kOn,      // true: there is no way to set it off
  kCount,   // a whole number from `least` to `most`
  kWord,    // one of `words`
  kParts,   // a count, or "1/2", "1/3", ... up to `most`
};

struct KnobValues {
  KnobValueKind kind = KnobValueKind::kSwitch;
  std::int64_t least = 0, most = 0;              // of a number, both included
  std::span<const std::string_view> words = {};  // without quotes
};

// Variables that set the knob before the program starts. "{}" in `text` is the value as Python
// writes it.
struct KnobVariables {
  std::span<const std::string_view> names = {};  // empty = no variable sets it
  std::string_view text = {};
  // `text` is one item, "name:{}", of a list divided by commas that may hold the user's own: each
  // of `names` that the user sets is extended, and where none is, the last one is set.
  bool beside = false;
};

// How to set it without flatout. "{}" is the value as Python writes it or, where `value` has
// braces, what stands for them.
struct KnobByHand {
  std::string_view value = {};      // a JSON literal, also with braces: "\"1/{}\""; "" = any other
  std::string_view script = {};     // a line of the plain script
  std::string_view hf = {};         // of TrainingArguments; "" = it has none, as in the script
  std::string_view lightning = {};  // of lightning.Trainer; likewise
};

// What a keyword argument is given to, where setting the knob by hand is no more than that.
enum class KnobBuilt : std::uint8_t { kNothing, kLoader, kOptimizer };

struct KnobEdit {
  KnobBuilt at = KnobBuilt::kNothing;  // where the program builds it
  std::string_view keyword = {};
  std::optional<int> position = {};  // from 0, where it may be given without the keyword
};

struct KnobFacts {
  std::string_view id;          // "dataloader.num_workers"
  std::string_view short_name;  // for a table, and for --knobs: "num_workers"
  Risk risk = Risk::kSameMaths;
  KnobChanges changes = KnobChanges::kNothing;
  KnobSwitched switched = KnobSwitched::kRestart;
  KnobActsOn acts_on = KnobActsOn::kNothingShared;
  KnobCounts counts = KnobCounts::kNothing;
  double cost = 1;              // of a trial, in trials of the program as it is
  bool compiles = false;        // when the program starts, each time
  bool between_epochs = false;  // what it gains lies there, where no block of steps shows it
  bool replaces_code = false;   // by hand it is other code, not an argument
  KnobValues values = {};
  std::span<const std::string_view> grid = {};            // JSON literals, best first
  std::span<const std::string_view> required_knobs = {};  // ids: without them it cannot be set
  KnobVariables variables = {};
  std::span<const KnobByHand> by_hand = {};  // the first counts whose value is the one
  KnobEdit edit = {};
};

}  // namespace flatout::run
