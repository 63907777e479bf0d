#include "apply/journaled_trials.h"

namespace flatout::apply {

JournaledTrials::JournaledTrials(TrialRunner& inner, TrialArchive& archive, const Journal& earlier)
    : inner_(inner), archive_(archive), earlier_(earlier.trials) {
  if (!earlier.finished) std::erase_if(earlier_, [](const auto& entry) { return entry.final; });
  anew_ = earlier_.empty();
}

std::optional<TrialRunner::Look> JournaledTrials::answered(const TrialSpec& spec) {
  if (anew_) return std::nullopt;
  std::string why;
  if (taken_over_ < earlier_.size()) {
    const JournalEntry& entry = earlier_[taken_over_];
    if (same_trial(entry, spec)) {
      auto result = archive_.read(entry);
      if (result) {
        ++taken_over_;
        return Look{.trial = std::move(*result), .program = nullptr, .drove_on = entry.went_on};
      }
      why = result.error().message;
    } else {
      why = "the next trial is another one";
    }
  }
  anew_ = true;
  archive_.goes_on(std::span(earlier_).first(taken_over_), why);
  return std::nullopt;
}

void JournaledTrials::keep(const TrialSpec& spec, const TrialResult& result, bool went_on) {
  if (inner_.interrupted()) return;
  JournalEntry entry = entry_of(spec, result);
  entry.went_on = went_on;
  archive_.append(entry);
}

base::Result<TrialResult> JournaledTrials::run(const TrialSpec& spec) {
  if (auto earlier = answered(spec)) return std::move(earlier->trial);
  auto result = inner_.run(spec);
  if (result) keep(spec, *result, false);
  return result;
}

base::Result<TrialRunner::Look> JournaledTrials::look(const TrialSpec& spec,
                                                      base::DurationNs least_ns) {
  if (auto earlier = answered(spec)) return std::move(*earlier);
  auto result = inner_.look(spec, least_ns);
  if (result) keep(spec, result->trial, result->program != nullptr);
  return result;
}

}  // namespace flatout::apply
