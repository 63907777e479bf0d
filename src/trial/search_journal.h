// A search's journal in the store: runs/<id of its first trial>/search.journal, appended
// after each trial. Main thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "apply/search/journaled_search.h"
#include "store/home.h"
#include "store/run_family.h"
#include "trial/journal_file.h"
#include "trial/options.h"

namespace flatout::trial {

constexpr std::string_view kSearchJournalFile = store::kSearchJournalName;

// `space`: the text of the space's file, on which all decisions depend.
apply::JournalHead search_head(const SearchOptions& options, const std::string& space);

struct InterruptedSearch {
  std::string id;
  apply::Journal journal;
};

// The newest unfinished search of this command, space and folder. kNotFound says what to do.
base::Result<InterruptedSearch> find_interrupted_search(const store::Home& home,
                                                        const apply::JournalHead& head);

class StoredSearch final : public apply::SearchArchive {
 public:
  // `id`: of the search that goes on. `logged`: the name of the values to read, "" = none.
  // `tell`: a line for the user.
  StoredSearch(store::Home home, apply::JournalHead head, std::optional<std::string> id,
               std::string logged, std::function<void(const std::string&)> tell);

  base::Result<apply::MeasuredTrial> read(const apply::JournalEntry& entry) override;
  void append(const apply::JournalEntry& entry) override;
  void finish();  // nothing is left to go on with

  // Of the search, once a first trial is known.
  const std::optional<std::string>& id() const { return id_; }

 private:
  store::Home home_;
  apply::JournalHead head_;
  std::optional<std::string> id_;
  std::string logged_;
  JournalFile journal_;
};

}  // namespace flatout::trial
