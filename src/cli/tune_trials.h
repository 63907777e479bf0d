// Trials on this machine: each is a recorded run of its own, in a process of its
// own, so that nothing that goes wrong in it reaches the tuner. Main thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apply/trial.h"
#include "base/file.h"
#include "base/time.h"
#include "cli/stop_signals.h"
#include "cli/trial_files.h"
#include "cli/tune_losses.h"
#include "launch/plan.h"
#include "launch/trial_writes.h"
#include "launch/workspace.h"

namespace flatout::cli {

struct TrialPlace {
  std::string home;                  // as --home
  std::vector<std::string> command;  // not empty
  bool argv = true;                  // its arguments are stored
  // Where the trials run; null = in the folder itself.
  launch::Workspace* workspace = nullptr;
  std::filesystem::path cwd;  // the folder itself, without links
  LossSource losses = {};
  FileCache file_cache = FileCache::kAuto;
  std::filesystem::path output;  // what the program prints; written anew by each trial
};

// "num_workers=6 prefetch_factor=4", for `ls`; "" for the program as it is.
std::string trial_name(const apply::TrialSpec& spec);

class LocalTrials final : public apply::TrialRunner {
 public:
  // From here on Ctrl-C and SIGTERM end the trial that runs and make interrupted()
  // true, until it is destroyed. One at a time.
  explicit LocalTrials(TrialPlace place);

  base::Result<apply::TrialResult> run(const apply::TrialSpec& spec) override;
  bool interrupted() const override;
  void wait_for_quiet(base::DurationNs at_most) override;

  // Further trials belong to this one, not to the first that is made here.
  void belong_to(std::optional<std::string> first) { parent_ = std::move(first); }

  // What trials wrote below their working directory, as far as it was seen: the
  // first `kMostNamed` paths of each.
  const std::vector<std::string>& written() const { return written_; }
  // The same outside of it: what was thrown away, and what lasts.
  const std::vector<std::string>& written_beyond() const { return written_beyond_; }
  std::vector<std::string> lasting() const { return outside_.paths(); }

 private:
  struct Ended {
    std::string id;       // of the run, "" = none was recorded
    std::string cause;    // a word of tune_recorder.h, "" = not known
    std::string files;    // see trial_files.h, "" = not known
    std::string trouble;  // of the recorder itself
  };
  base::Result<Ended> record(const apply::TrialSpec& spec);
  Ended wait_for(pid_t recorder, base::UniqueFd words) const;
  launch::WriteRules write_rules() const;
  std::filesystem::path writes_file() const;
  void note_what_was_written();

  const StopSignals signals_;
  TrialPlace place_;
  std::optional<std::string> parent_;  // the first trial's id
  std::vector<std::string> written_, written_beyond_;
  launch::OutsideWrites outside_;
};

}  // namespace flatout::cli
