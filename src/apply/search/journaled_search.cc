#include "apply/search/journaled_search.h"

#include <algorithm>
#include <utility>

namespace flatout::apply {
namespace {

using base::Result;
using Kind = run::SearchSetting::Kind;

const char* kind_name(Kind kind) {
  return kind == Kind::kArgument ? "argument" : kind == Kind::kEnvironment ? "environment" : "knob";
}

}  // namespace

JournalEntry entry_of(const SearchTrial& trial) {
  JournalEntry entry;
  for (const auto& setting : *trial.point) {
    entry.knobs.push_back({setting.name, setting.value, kind_name(setting.kind)});
  }
  entry.steps = static_cast<std::uint64_t>(trial.steps);
  entry.final = trial.final;
  return entry;
}

JournaledSearch::JournaledSearch(SearchRunner& inner, SearchArchive& archive,
                                 const Journal& earlier)
    : inner_(inner), archive_(archive), earlier_(earlier.trials) {}

// Each line once: where a point is asked for anew it is measured anew.
bool JournaledSearch::take_over(const SearchTrial& trial) {
  if (trial.final) return false;
  const JournalEntry asked = entry_of(trial);
  for (std::size_t place = 0; place < earlier_.size(); ++place) {
    const JournalEntry& entry = earlier_[place];
    if (entry.final || entry.knobs != asked.knobs || entry.steps != asked.steps) continue;
    if (!used_.insert(place).second) continue;
    auto measured = archive_.read(entry);
    if (!measured) continue;
    known_.emplace(place, EndedTrial{.ticket = trial.ticket, .measured = std::move(*measured)});
    ++taken_over_;
    return true;
  }
  return false;
}

Result<void> JournaledSearch::start(const SearchTrial& trial) {
  if (take_over(trial)) return {};
  running_.emplace(trial.ticket, entry_of(trial));
  return inner_.start(trial);
}

Result<EndedTrial> JournaledSearch::wait() {
  if (!known_.empty()) {
    auto first = known_.extract(known_.begin());
    return std::move(first.mapped());
  }
  auto ended = inner_.wait();
  if (!ended) return ended;
  auto made = running_.extract(ended->ticket);
  const TrialResult& trial = ended->measured.trial;
  if (made.empty() || inner_.interrupted() || trial.run.empty() || made.mapped().final) {
    return ended;
  }
  JournalEntry entry = std::move(made.mapped());
  entry.run = trial.run;
  entry.failure = trial.failure;
  entry.seen = trial.steps.size();
  archive_.append(entry);
  return ended;
}

}  // namespace flatout::apply
