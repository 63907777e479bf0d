// What a tune or search found, read back from the documents in the folder of its first run
// (flatout.tune/1, flatout.search/1). Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "run/search.h"
#include "run/tune.h"

namespace flatout::app {

struct StoredTuneReport {
  run::TuneReport tuned;  // of its plan the knobs' values alone
  std::string plan_file;  // "" = none was written
};

struct StoredSearchReport {
  run::SearchReport found;
  std::string command;  // of the best point, "" = none
};

// `name`: of the document, for messages. kCorrupt: it is no such document.
base::Result<StoredTuneReport> parse_tune_report(std::string_view text, const std::string& name);
base::Result<StoredSearchReport> parse_search_report(std::string_view text,
                                                     const std::string& name);

// kNotFound: none is there (it goes on, or was ended before its report); kCorrupt: it is no
// such document; kTooLarge.
base::Result<StoredTuneReport> read_tune_report(const std::filesystem::path& folder);
base::Result<StoredSearchReport> read_search_report(const std::filesystem::path& folder);

}  // namespace flatout::app
