#include "trial/search_journal.h"

#include <filesystem>
#include <utility>

#include "base/joined.h"
#include "launch/command_check.h"
#include "launch/secrets.h"
#include "trial/outcome.h"

namespace flatout::trial {
namespace {

using base::ErrorCode;
using base::Result;
namespace fs = std::filesystem;

fs::path search_journal_of(const store::Home& home, const std::string& id) {
  return home.folder(id) / kSearchJournalFile;
}

}  // namespace

apply::JournalHead search_head(const SearchOptions& options, const std::string& space) {
  std::error_code error;
  apply::JournalHead head = {
      .search = true,
      .command = launch::stored_command(options.command, options.argv),
      .folder = fs::canonical(".", error).string(),
      .options = {{"SPACE", space}, {"--in-place", options.in_place ? "yes" : ""}}};
  if (!options.capture.empty()) head.options["--capture"] = base::joined(options.capture, ",");
  if (!options.argv) head.options[kNoArgv] = launch::command_check(options.command);
  return head;
}

Result<InterruptedSearch> find_interrupted_search(const store::Home& home,
                                                  const apply::JournalHead& head) {
  const auto ids = home.ids();
  if (!ids) return std::unexpected(ids.error());
  std::optional<InterruptedSearch> found;
  for (const auto& id : *ids) {
    auto journal = read_journal(search_journal_of(home, id));
    if (!journal || journal->finished) continue;
    apply::JournalHead theirs = journal->head;
    theirs.started_ns = head.started_ns;
    if (theirs != head || journal_in_use(search_journal_of(home, id))) continue;
    if (found && found->journal.head.started_ns >= journal->head.started_ns) continue;
    found = InterruptedSearch{.id = id, .journal = std::move(*journal)};
  }
  if (found) return std::move(*found);
  return base::fail(ErrorCode::kNotFound,
                    "no unfinished search of this command and space was begun in " + head.folder +
                        "; begin one without --resume");
}

StoredSearch::StoredSearch(store::Home home, apply::JournalHead head, std::optional<std::string> id,
                           std::string logged, std::function<void(const std::string&)> tell)
    : home_(std::move(home)),
      head_(std::move(head)),
      id_(std::move(id)),
      logged_(std::move(logged)),
      journal_("search", std::move(tell)) {}

Result<apply::MeasuredTrial> StoredSearch::read(const apply::JournalEntry& entry) {
  auto measured = read_trial(home_.root().string(), entry.run, "", {}, logged_);
  if (!measured) return measured;
  measured->trial.failure = entry.failure;
  if (measured->trial.steps.size() != entry.seen) {
    return base::fail(ErrorCode::kCorrupt, "the recording of " + entry.run + " is damaged");
  }
  return measured;
}

void StoredSearch::append(const apply::JournalEntry& entry) {
  const bool first = !id_;
  if (first) id_ = entry.run;
  journal_.append(search_journal_of(home_, *id_),
                  (first ? apply::journal_line(head_) : "") + apply::journal_line(entry));
}

void StoredSearch::finish() {
  if (id_) journal_.append(search_journal_of(home_, *id_), apply::journal_end());
}

}  // namespace flatout::trial
