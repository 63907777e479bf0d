// Trials as files in a folder, placed by a launcher, and what comes back of them.
// Main thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "trial/job.h"
#include "trial/launcher.h"
#include "trial/stop_signals.h"

namespace flatout::trial {

// A folder of its own, removed with all that is in it.
class TrialFolder {
 public:
  // Below `root`, which exists. kIo.
  static base::Result<TrialFolder> make(const std::filesystem::path& root);
  ~TrialFolder();
  TrialFolder(TrialFolder&& other) noexcept;
  TrialFolder& operator=(TrialFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TrialFolder(std::filesystem::path path);
  std::filesystem::path path_;
  base::UniqueFd lock_;  // see launch/owner_mark.h
};

class PlacedTrials {
 public:
  // `launcher` and `signals` must outlive it; files go into `folder`.
  PlacedTrials(Launcher& launcher, const StopSignals& signals, std::filesystem::path folder);

  // job.output is chosen here.
  base::Result<TrialHandle> start(TrialJob job);

  struct Ended {
    TrialHandle handle = 0;
    TrialJobResult result;         // without a run, `trouble` says why
    std::filesystem::path file;    // the job's
    std::filesystem::path output;  // what the program printed
  };
  // One of those that run; there is one. Once a signal has asked to end, all are
  // told so, and still waited for.
  Ended wait();
  // The same, where it ends in that time, and where no signal has asked to end.
  std::optional<Ended> ended_within(base::DurationNs patience);
  void stop() { launcher_.cancel(); }                      // all that run, with their grace
  std::filesystem::path output(TrialHandle handle) const;  // of one that runs
  // The latest report of one that still runs; `trouble` where that cannot be read.
  TrialJobResult result_so_far(TrialHandle handle) const;
  // Removes its files, once what it printed was read.
  void forget(const Ended& ended) const;

  int slots() const { return launcher_.slots(); }
  bool interrupted() const { return signals_.asked(); }

 private:
  std::optional<Ended> ended(const std::optional<LaunchEnd>& end);
  TrialJobResult result_of(const PlacedTrial& trial, const launch::Exit& exit) const;

  Launcher& launcher_;
  const StopSignals& signals_;
  const std::filesystem::path folder_;
  std::map<TrialHandle, PlacedTrial> running_;
  int started_ = 0;
};

// Runs nothing but `flatout trial` itself, where the launcher places it: whether it is
// there, and sees what trials need. kUnavailable with the reason; `job` as a trial's.
base::Result<void> probe_launcher(PlacedTrials& trials, TrialJob job);

}  // namespace flatout::trial
