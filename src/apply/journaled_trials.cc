#include "apply/journaled_trials.h"

namespace flatout::apply {

JournaledTrials::JournaledTrials(TrialRunner& inner, TrialArchive& archive, const Journal& earlier)
    : inner_(inner), archive_(archive), earlier_(earlier.trials) {
  if (!earlier.finished) std::erase_if(earlier_, [](const auto& entry) { return entry.final; });
  anew_ = earlier_.empty();
}

base::Result<TrialResult> JournaledTrials::run(const TrialSpec& spec) {
  if (anew_) return run_anew(spec);
  std::string why;
  if (taken_over_ < earlier_.size()) {
    const JournalEntry& entry = earlier_[taken_over_];
    if (same_trial(entry, spec)) {
      auto result = archive_.read(entry);
      if (result) {
        ++taken_over_;
        return result;
      }
      why = result.error().message;
    } else {
      why = "the next trial is another one";
    }
  }
  anew_ = true;
  archive_.goes_on(std::span(earlier_).first(taken_over_), why);
  return run_anew(spec);
}

base::Result<TrialResult> JournaledTrials::run_anew(const TrialSpec& spec) {
  auto result = inner_.run(spec);
  if (result && !inner_.interrupted()) archive_.append(entry_of(spec, *result));
  return result;
}

}  // namespace flatout::apply
