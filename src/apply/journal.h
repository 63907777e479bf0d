// The journal of a tune or of a search: which trials it made, so that an interrupted one can
// go on. The loop decides by its trials alone, so the same results give the same decisions.
//
// One JSON object a line: the head, one line a trial, and {"finished":true} once the
// report is made. docs/formats/tune-journal.md. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apply/trial.h"
#include "base/result.h"
#include "base/time.h"
#include "run/plan.h"

namespace flatout::apply {

struct JournalHead {
  bool search = false;  // else of a tune
  base::WallNs started_ns = 0;
  std::vector<std::string> command = {};  // secrets masked
  std::string folder = {};                // absolute
  // Those on which decisions depend, as they were given: "risk" -> "rounding".
  std::map<std::string, std::string> options = {};
  friend bool operator==(const JournalHead&, const JournalHead&) = default;
};

// Of a search `knobs` are the point's settings: name, value and kind (journaled_search.h).
//
// One trial that came to its end, and what of it is not in the run's recording.
struct JournalEntry {
  std::vector<run::KnobSetting> knobs = {};
  std::uint64_t steps = 0;
  std::uint64_t seed_shift = 0;
  bool final = false;        // of the last comparison
  bool went_on = false;      // its program was driven after it
  std::string run = {};      // its id
  std::string failure = {};  // TrialResult::failure
  std::uint64_t seen = 0;    // steps that its recording shows
  // What it printed as its losses, in order; absent where none were asked for, or too many.
  std::optional<std::vector<double>> losses = {};
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

struct Journal {
  JournalHead head;
  std::vector<JournalEntry> trials;
  bool finished = false;
};

// Files above are no journal: a tune has tens of trials of some hundred bytes, and of some
// ten thousand where losses are kept.
constexpr std::size_t kMostJournalBytes = 64U << 20;
constexpr std::size_t kMostJournalLosses = 10'000;  // of a trial
constexpr std::size_t kMostJournalTrials = 65'536;

// Each ends with a line end.
std::string journal_line(const JournalHead& head);
std::string journal_line(const JournalEntry& entry);
std::string journal_end();

// kCorrupt with the line's number for a line that is none of these, kTooLarge beyond the
// bounds. A last line without its end was cut off by a kill, and is left out.
base::Result<Journal> parse_journal(std::string_view text, const std::string& name);

// With its losses, where there are no more than a journal keeps.
JournalEntry entry_of(const TrialSpec& spec, const TrialResult& result);
// The same trial: knobs in order, steps, seeds and purpose. Its timeout does not count.
bool same_trial(const JournalEntry& entry, const TrialSpec& spec);

}  // namespace flatout::apply
