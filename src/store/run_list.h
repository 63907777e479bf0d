// The runs of a home: list, find, remove. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/home.h"
#include "store/parentage.h"
#include "store/run_reader.h"

namespace flatout::store {

struct ListedRun {
  std::string id;
  base::Result<RunSummary> summary;  // an error: its log cannot be read
};

// All runs, newest first; those that cannot be read come last.
base::Result<std::vector<ListedRun>> list_runs(const Home& home, const Viewpoint& from);

// Of those, for Parentage; refers to `runs`. One that cannot be read has no parent.
std::vector<RunLink> links_of(const std::vector<ListedRun>& runs);

// The id that `reference` means: "latest" (the newest that a user started: of a tune or
// search its first run, never a trial), an id, a --name (the newest run of that name), or
// the unique beginning of an id; in this order. kNotFound, with the id or name that is
// nearest to it, or kInvalid when a beginning fits several.
base::Result<std::string> find_run(const Home& home, std::string_view reference,
                                   const Viewpoint& from);

// An error where remove_run would refuse. Nothing is changed.
base::Result<void> can_be_removed(const Home& home, const std::string& id, const Viewpoint& from);

// Removes a run's folder, and no other's. kExists while it is running or being recovered.
// Symbolic links are removed, never followed.
base::Result<void> remove_run(const Home& home, const std::string& id, const Viewpoint& from);

}  // namespace flatout::store
