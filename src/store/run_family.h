// What a user started: a run, or a tune or search with its trials. Trials are runs of their own
// whose parent is the first run of their tune or search, whose id is that of the whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/catalog.h"
#include "store/home.h"
#include "store/run_reader.h"

namespace flatout::store {

// In the folder of the first run.
constexpr std::string_view kTuneJournalName = "tune.journal";
constexpr std::string_view kTuneReportName = "tune.json";
constexpr std::string_view kSearchJournalName = "search.journal";
constexpr std::string_view kSearchReportName = "search.json";

enum class FamilyKind : std::uint8_t { kRun, kTune, kSearch };
std::string_view family_kind_name(FamilyKind kind);  // "run", "tune", "search"
// By the files in a run's folder, which are there from its second trial on at the latest.
FamilyKind family_kind(const std::filesystem::path& folder);

// Whether a tune or search that goes on holds this journal: it locks it.
bool journal_in_use(const std::filesystem::path& path);
// Whether the tune or search whose first run has this folder is still going on: between two of its
// trials, none of its runs is running.
bool story_in_use(const std::filesystem::path& folder);

struct RunFamily {
  CatalogEntry run;                  // what was started; of a tune or search its first run
  std::vector<CatalogEntry> trials;  // the others, in the order in which they ran
};

// One a run that a user started, in the order of `runs` (newest first). A trial whose first run
// is not among them stands by itself; a trial of a trial is one of its first run (parentage.h).
// Pure.
std::vector<RunFamily> families(const std::vector<CatalogEntry>& runs);

std::uint64_t bytes_of(const RunFamily& family);
// From the start of the first to the end of the last. Pure.
base::DurationNs duration_of(const RunFamily& family);
// Of all of its runs, that of the first one last.
std::vector<std::string> ids_of(const RunFamily& family);

// A run and, where it is a tune's or search's first, its trials before it: what goes together. Its
// own id comes last.
base::Result<std::vector<std::string>> with_trials(const Home& home, const std::string& id,
                                                   const Viewpoint& from);

// Removes these, in this order: all, or none where one of them is not there (kNotFound), or is
// still running or being written (kExists). Only a disk that fails in between leaves a part; the
// run that comes last is then still there, and the rest goes with it the next time.
base::Result<void> remove_family(const Home& home, std::span<const std::string> ids,
                                 const Viewpoint& from);

}  // namespace flatout::store
