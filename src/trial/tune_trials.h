// The trials of a tune, over any launcher: one after the other, since their statistics want them
// so. Main thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apply/trial.h"
#include "trial/losses.h"
#include "trial/placed_trials.h"
#include "trial/written_paths.h"

namespace flatout::trial {

// "num_workers=6 prefetch_factor=4", for `ls`; "" for the program as it is.
std::string trial_name(const apply::TrialSpec& spec);

class TuneTrials final : public apply::TrialRunner {
 public:
  // `common`: what all trials share (home, directory, command, in_place, and with a tune that goes
  // on its parent). `here`: they run on this machine. `trials` must outlive it.
  TuneTrials(PlacedTrials& trials, TrialJob common, LossSource losses, bool here);

  base::Result<apply::TrialResult> run(const apply::TrialSpec& spec) override;
  base::Result<Look> look(const apply::TrialSpec& spec, base::DurationNs least_ns) override;
  // On this machine alone: the page is memory that both share.
  base::Result<std::unique_ptr<apply::DrivenProgram>> drive(
      const std::vector<run::KnobSetting>& fixed, base::DurationNs timeout_ns) override;
  bool interrupted() const override { return trials_.interrupted(); }
  void wait_for_quiet(base::DurationNs at_most) override;

  const WrittenPaths& written() const { return written_; }

 private:
  TrialJob job_of(const apply::TrialSpec& spec) const;
  base::Result<std::unique_ptr<apply::DrivenProgram>> drive_as(TrialJob job,
                                                               base::DurationNs start_ns);
  base::Result<apply::TrialResult> read(const TrialJobResult& said,
                                        const std::filesystem::path& output);

  PlacedTrials& trials_;
  TrialJob common_;  // with the parent, once it is known
  const LossSource losses_;
  const bool here_;
  WrittenPaths written_;
};

}  // namespace flatout::trial
