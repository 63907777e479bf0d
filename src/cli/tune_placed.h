// The trials of a tune over a launcher: one after the other, since their statistics
// want them so. Main thread.
#pragma once

#include <string>
#include <vector>

#include "apply/trial.h"
#include "cli/placed_trials.h"
#include "cli/tune_losses.h"

namespace flatout::cli {

class PlacedTuneTrials final : public apply::TrialRunner {
 public:
  // `common`: what all trials share (home, directory, command, in_place). `trials` must
  // outlive it.
  PlacedTuneTrials(PlacedTrials& trials, TrialJob common, LossSource losses);

  base::Result<apply::TrialResult> run(const apply::TrialSpec& spec) override;
  bool interrupted() const override { return trials_.interrupted(); }

  // What trials wrote below their working directory, the first paths of each.
  const std::vector<std::string>& written() const { return written_; }
  // The same outside of it, what lasts.
  const std::vector<std::string>& lasting() const { return lasting_; }

 private:
  PlacedTrials& trials_;
  TrialJob common_;  // with the parent, once it is known
  LossSource losses_;
  std::vector<std::string> written_, lasting_;
};

}  // namespace flatout::cli
