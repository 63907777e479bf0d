#include "trial/tune_journal.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/stored_runs.h"
#include "base/joined.h"
#include "launch/command_check.h"
#include "launch/secrets.h"
#include "trial/memory.h"
#include "trial/result.h"

namespace flatout::trial {
namespace {

using base::ErrorCode;
using base::Result;
namespace fs = std::filesystem;

// Only where it is not the default, so that tunes of versions without it go on.
constexpr const char* kFileCache = "--file-cache";
constexpr const char* kCapture = "--capture";
constexpr const char* kLauncher = "--launcher";
constexpr const char* kSlurm = "--slurm";

// What the tune that goes on had; kInvalid where the command line says otherwise.
Result<void> take_over(const TuneOptions& options, const apply::Journal& journal, const char* name,
                       const std::string& standard, std::string& value) {
  const auto said = journal.head.options.find(name);
  const std::string theirs = said == journal.head.options.end() ? standard : said->second;
  if (options.given.contains(name) && value != theirs) {
    return base::fail(ErrorCode::kInvalid, std::string("that tune had ") + name + " " + theirs +
                                               "; leave it out, or begin anew without --resume");
  }
  value = theirs;
  return {};
}

fs::path tune_journal_of(const store::Home& home, const std::string& id) {
  return home.folder(id) / kJournalFile;
}

bool same_command(const TuneOptions& options, const apply::Journal& journal) {
  if (options.command.empty()) return true;
  const auto check = journal.head.options.find(kNoArgv);
  if (check != journal.head.options.end()) {
    return check->second == launch::command_check(options.command);
  }
  return launch::mask_secrets(options.command) == journal.head.command;
}

Result<Interrupted> named(const store::Home& home, const TuneOptions& options,
                          const std::string& folder) {
  const std::string& id = options.resume_id;
  auto journal = store::is_run_id(id)
                     ? read_journal(tune_journal_of(home, id))
                     : Result<apply::Journal>(base::fail(ErrorCode::kNotFound, id));
  if (!journal && journal.error().code != ErrorCode::kNotFound) {
    return std::unexpected(journal.error());
  }
  if (!journal) {
    return base::fail(ErrorCode::kNotFound,
                      "there is no tune " + id +
                          " to go on with; its id is that of its first run, see "
                          "flatout ls --tree");
  }
  if (!same_command(options, *journal)) {
    return base::fail(ErrorCode::kInvalid, "tune " + id + " was of another command: " +
                                               base::joined(journal->head.command, " ") +
                                               "; begin anew without --resume");
  }
  if (journal->head.folder != folder) {
    return base::fail(ErrorCode::kInvalid, "tune " + id + " was begun in " + journal->head.folder +
                                               "; go on from there");
  }
  if (journal_in_use(tune_journal_of(home, id))) {
    return base::fail(ErrorCode::kInvalid, "tune " + id + " is still going on; end it first");
  }
  return Interrupted{.id = id, .journal = std::move(*journal)};
}

Result<Interrupted> newest(const store::Home& home, const TuneOptions& options,
                           const std::string& folder) {
  const auto ids = home.ids();
  if (!ids) return std::unexpected(ids.error());
  std::optional<Interrupted> found;
  for (const auto& id : *ids) {
    auto journal = read_journal(tune_journal_of(home, id));
    if (!journal || journal->finished || journal->head.folder != folder) continue;
    if (!same_command(options, *journal) || journal_in_use(tune_journal_of(home, id))) continue;
    if (found && found->journal.head.started_ns >= journal->head.started_ns) continue;
    found = Interrupted{.id = id, .journal = std::move(*journal)};
  }
  if (found) return std::move(*found);
  return base::fail(ErrorCode::kNotFound, std::string("no unfinished tune ") +
                                              (options.command.empty() ? "" : "of this command ") +
                                              "was begun in " + folder +
                                              "; begin one without --resume");
}

}  // namespace

std::map<std::string, std::string> deciding_options(const TuneOptions& options) {
  std::map<std::string, std::string> out = {
      {"--knobs", base::joined(options.knobs, ",")},
      {"--risk", options.risk},
      {"--steps", options.steps ? std::to_string(*options.steps) : ""},
      {"--in-place", options.in_place ? "yes" : ""},
      {"--knob", base::joined(options.own_knobs, "\n")},
      {"--loss", options.loss}};
  if (options.file_cache != "auto") out[kFileCache] = options.file_cache;
  if (!options.capture.empty()) out[kCapture] = base::joined(options.capture, ",");
  if (options.launcher.kind != "local") {
    out[kLauncher] = options.launcher.kind;
    out[kSlurm] = options.launcher.slurm;
  }
  if (!options.argv) out[kNoArgv] = launch::command_check(options.command);
  return out;
}

Result<Interrupted> find_interrupted(const store::Home& home, const TuneOptions& options,
                                     const std::string& folder) {
  return options.resume_id.empty() ? newest(home, options, folder) : named(home, options, folder);
}

Result<TuneOptions> taken_over(TuneOptions options, const apply::Journal& journal) {
  options.argv = options.argv && !journal.head.options.contains(kNoArgv);
  std::string capture = base::joined(options.capture, ",");
  for (auto taken : {take_over(options, journal, kFileCache, "auto", options.file_cache),
                     take_over(options, journal, kCapture, "", capture),
                     take_over(options, journal, kLauncher, "local", options.launcher.kind)}) {
    if (!taken) return std::unexpected(taken.error());
  }
  options.capture = split_names(capture);
  // Arguments of srun decide where, not what: those on the command line go before.
  if (const auto said = journal.head.options.find(kSlurm);
      said != journal.head.options.end() && !options.given.contains(kSlurm)) {
    options.launcher.slurm = said->second;
  }
  const auto given = deciding_options(options);
  for (const auto& [name, value] : journal.head.options) {
    const auto here = given.find(name);
    if (here == given.end()) {
      return base::fail(ErrorCode::kInvalid, "that tune had " + name +
                                                 ", which this version of flatout does not know; "
                                                 "begin anew without --resume");
    }
    if (!options.given.contains(name) || here->second == value || name == kSlurm) continue;
    return base::fail(ErrorCode::kInvalid, "that tune had " + name + " " +
                                               (value.empty() ? "not set" : value) +
                                               "; leave it out, or begin anew without --resume");
  }
  const auto of_journal = [&](const char* name) {
    const auto found = journal.head.options.find(name);
    return found == journal.head.options.end() ? std::string() : found->second;
  };
  options.knobs = split_names(of_journal("--knobs"));
  if (const auto risk = of_journal("--risk"); !risk.empty()) options.risk = risk;
  const std::string steps = of_journal("--steps");
  options.steps.reset();
  if (!steps.empty()) options.steps = std::strtoull(steps.c_str(), nullptr, 10);
  options.in_place = !of_journal("--in-place").empty();
  options.own_knobs.clear();
  std::istringstream own(of_journal("--knob"));
  for (std::string knob; std::getline(own, knob);) options.own_knobs.push_back(knob);
  options.loss = of_journal("--loss");
  if (!options.command.empty()) return options;
  if (!options.argv) {
    return base::fail(ErrorCode::kInvalid,
                      "that tune had --no-argv, so its command was not stored: write the command "
                      "again, after --");
  }
  const auto masked = std::ranges::find_if(journal.head.command, [](const std::string& word) {
    return word.find(launch::kMasked) != std::string::npos;
  });
  if (masked != journal.head.command.end()) {
    return base::fail(ErrorCode::kInvalid,
                      "its command holds what looks like a secret and was not stored (" + *masked +
                          "): write the command again, after --");
  }
  options.command = journal.head.command;
  return options;
}

StoredTrials::StoredTrials(store::Home home, apply::JournalHead head, std::optional<std::string> id,
                           std::function<void(const std::string&)> tell)
    : home_(std::move(home)),
      head_(std::move(head)),
      id_(std::move(id)),
      tell_(tell),
      journal_("tune", std::move(tell)) {}

Result<apply::TrialResult> StoredTrials::read(const apply::JournalEntry& entry) {
  auto recorded = app::open_run(home_.root(), entry.run);
  if (!recorded) return std::unexpected(recorded.error());
  const auto losses = loss_source();
  if (!losses) return std::unexpected(losses.error());
  apply::TrialResult result = trial_result(recorded->timeline, *losses);
  result.failure = entry.failure;
  result.out_of_memory = ran_out_of_memory(result.failure, recorded->timeline);
  if (!losses->printed.empty()) {
    if (!entry.losses) {
      return base::fail(ErrorCode::kUnavailable,
                        "the journal does not hold the losses that " + entry.run + " printed");
    }
    result.evidence.losses = *entry.losses;
    result.evidence.samples.clear();  // as take_printed_losses does
  }
  if (result.steps.size() != entry.seen) {
    return base::fail(ErrorCode::kCorrupt, "the recording of " + entry.run + " is damaged");
  }
  return result;
}

void StoredTrials::goes_on(std::span<const apply::JournalEntry> kept, const std::string& why) {
  tell_("resume: " + std::to_string(kept.size()) + (kept.size() == 1 ? " trial" : " trials") +
        " taken over; from here on they are made, and the budget counts" +
        (why.empty() ? "" : " (" + why + ")"));
  if (kept.empty()) {  // the next trial is the first of a tune of its own
    id_.reset();
    return;
  }
  std::string text = apply::journal_line(head_);
  for (const auto& entry : kept) text += apply::journal_line(entry);
  journal_.begin_with(file(), text);
}

void StoredTrials::append(const apply::JournalEntry& entry) {
  const bool first = !id_;
  if (first) id_ = entry.run;
  apply::JournalEntry kept = entry;
  const auto losses = loss_source();
  if (!losses || losses->printed.empty()) kept.losses.reset();  // its recording has them
  journal_.append(file(), (first ? apply::journal_line(head_) : "") + apply::journal_line(kept));
}

Result<LossSource> StoredTrials::loss_source() const {
  const auto asked = head_.options.find("--loss");
  if (asked == head_.options.end() || asked->second.empty()) return LossSource{};
  return parse_loss_source(asked->second);
}

void StoredTrials::finish() {
  if (id_) journal_.append(file(), apply::journal_end());
}

}  // namespace flatout::trial
