// The trials of a search, over any launcher. Main thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apply/search/searcher.h"
#include "trial/placed_trials.h"
#include "trial/written_paths.h"

namespace flatout::trial {

class SearchTrials final : public apply::SearchRunner {
 public:
  // `common`: what all trials share (home, directory, command, in_place). `logged`: the
  // name of the values to read, "" = none. `trials` must outlive it.
  SearchTrials(PlacedTrials& trials, TrialJob common, std::string logged);

  int slots() const override { return trials_.slots(); }
  base::Result<void> start(const apply::SearchTrial& trial) override;
  base::Result<apply::EndedTrial> wait() override;
  bool interrupted() const override { return trials_.interrupted(); }

  // Of the first trial: where it ran ("overlay", "copy", "folder"), and what to know of it.
  const std::string& place() const { return place_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const WrittenPaths& written() const { return written_; }

 private:
  void note(const TrialJobResult& result);

  PlacedTrials& trials_;
  TrialJob common_;  // with the parent, once it is known
  const std::string logged_;
  std::map<TrialHandle, int> tickets_;
  std::string place_;
  std::vector<std::string> notes_;
  WrittenPaths written_;
};

}  // namespace flatout::trial
