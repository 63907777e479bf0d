// Trials with a memory: those that an earlier, interrupted tune made are answered from
// it as long as the loop asks for the same ones, and from the first other one on
// they are made. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apply/journal.h"
#include "apply/trial.h"

namespace flatout::apply {

// Where the journal is kept, and the trials that it names.
class TrialArchive {
 public:
  virtual ~TrialArchive() = default;
  // The result of an earlier trial. An error: it is gone or damaged.
  virtual base::Result<TrialResult> read(const JournalEntry& entry) = 0;
  // From here on trials are made; the journal is to hold `kept` and what is appended. Called
  // once, and only where there were earlier trials; `why` says why not all of them were taken over,
  // "" = all.
  virtual void goes_on(std::span<const JournalEntry> kept, const std::string& why) = 0;
  virtual void append(const JournalEntry& entry) = 0;
};

class JournaledTrials final : public TrialRunner {
 public:
  // Both outlive it. Trials of the last comparison are taken over only where it came to its end,
  // since a pair of which one half is older compares two moments.
  JournaledTrials(TrialRunner& inner, TrialArchive& archive, const Journal& earlier = {});

  base::Result<TrialResult> run(const TrialSpec& spec) override;
  base::Result<Look> look(const TrialSpec& spec, base::DurationNs least_ns) override;
  bool interrupted() const override { return inner_.interrupted(); }
  base::Result<std::unique_ptr<DrivenProgram>> drive(const std::vector<run::KnobSetting>& fixed,
                                                     base::DurationNs timeout_ns) override {
    return inner_.drive(fixed, timeout_ns);
  }
  void wait_for_quiet(base::DurationNs at_most) override {
    if (anew_) inner_.wait_for_quiet(at_most);
  }
  std::size_t taken_over() const { return taken_over_; }

 private:
  // Nothing where it is to be made.
  std::optional<Look> answered(const TrialSpec& spec);
  void keep(const TrialSpec& spec, const TrialResult& result, bool went_on);

  TrialRunner& inner_;
  TrialArchive& archive_;
  std::vector<JournalEntry> earlier_;
  std::size_t taken_over_ = 0;
  bool anew_ = false;
};

}  // namespace flatout::apply
