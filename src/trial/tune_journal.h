// A tune's journal in the store: runs/<id of its first trial>/tune.journal, appended
// after each trial. Main thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apply/journaled_trials.h"
#include "base/result.h"
#include "store/home.h"
#include "store/run_family.h"
#include "trial/journal_file.h"
#include "trial/losses.h"
#include "trial/options.h"

namespace flatout::trial {

constexpr std::string_view kJournalFile = store::kTuneJournalName;
// Beside it: the report, for `accuracy` and `report`.
constexpr std::string_view kTuneFile = store::kTuneReportName;

// What of the command line decides, for the head of a journal.
std::map<std::string, std::string> deciding_options(const TuneOptions& options);

struct Interrupted {
  std::string id;  // of the tune
  apply::Journal journal;
};

// The tune that `options` (--resume, with or without an id) means: by its id, or the newest
// unfinished one of this command and folder. kNotFound, or kInvalid where command, folder or
// deciding options are others; the message says what to do.
base::Result<Interrupted> find_interrupted(const store::Home& home, const TuneOptions& options,
                                           const std::string& folder);

// `options` with command and deciding options of the journal, those given on the command
// line excepted. kInvalid where one of these differs from the journal's, or a word of the
// command was masked.
base::Result<TuneOptions> taken_over(TuneOptions options, const apply::Journal& journal);

class StoredTrials final : public apply::TrialArchive {
 public:
  // `tell`: a line for the user.
  StoredTrials(store::Home home, apply::JournalHead head, std::optional<std::string> id,
               std::function<void(const std::string&)> tell);

  base::Result<apply::TrialResult> read(const apply::JournalEntry& entry) override;
  void goes_on(std::span<const apply::JournalEntry> kept, const std::string& why) override;
  void append(const apply::JournalEntry& entry) override;
  void finish();  // nothing is left to go on with

  // Of the tune, once a first trial is known.
  const std::optional<std::string>& id() const { return id_; }

 private:
  base::Result<LossSource> loss_source() const;
  std::filesystem::path file() const { return home_.folder(*id_) / kJournalFile; }

  store::Home home_;
  apply::JournalHead head_;
  std::optional<std::string> id_;
  std::function<void(const std::string&)> tell_;
  JournalFile journal_;
};

}  // namespace flatout::trial
