// The catalog: one row a run, in catalog.sqlite beside runs/, so that listing
// thousands of runs reads no recording. It is a cache and nothing else: each
// row carries the stamp (sizes and times of change) of the files it was made
// from and is made anew when they differ; the file may be deleted, damaged or
// locked at any time, which costs time and nothing else. Any thread, any
// number of flatouts at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "run/run.h"
#include "store/home.h"
#include "store/run_meta.h"
#include "store/run_reader.h"

namespace flatout::store {

struct CatalogEntry {
  std::string id;
  // Why its recording cannot be read, "" when it can. Of the fields below only
  // bytes and meta then mean something.
  std::string problem;
  std::string name;
  run::RunState state = run::RunState::kRunning;
  base::WallNs started_wall_ns = 0;
  base::DurationNs duration_ns = 0;  // so far, while it runs
  std::string command;               // argv joined with blanks, secrets masked
  std::string host;
  std::string parent;  // id of the run that it is a trial of; "" = none
  bool sealed = false;
  std::uint64_t bytes = 0;  // of all files of the run
  RunMeta meta;
  friend bool operator==(const CatalogEntry&, const CatalogEntry&) = default;
};

struct CatalogListing {
  std::vector<CatalogEntry> runs;  // newest first; those that cannot be read come last
  // One line for the user: why the catalog itself could not be kept, "" when it
  // could. The runs are complete all the same.
  std::string problem;
  std::size_t read_anew = 0;  // rows that were not in the catalog, or out of date
  // Made within the last minute and not to be read yet: a look will soon find more. Those in which
  // nothing is written are left out for that minute.
  std::size_t beginning = 0;
  std::size_t unread = 0;  // of a listing that is not finished: runs that are not in it yet
};

// For who cannot wait until thousands of recordings are read.
struct ListProgress {
  // The entries so far, those of the newest folders first: a moment after the beginning, and then
  // ever more seldom. The catalog is brought up to date only at the end.
  std::function<void(CatalogListing)> take;
  std::chrono::milliseconds moment{150};
  // True: nobody wants the rest. The listing then ends with what is unread.
  std::function<bool()> stop;
};

// All runs of a home. Brings the catalog up to date on the way; a damaged one
// is thrown away and rebuilt. An error only when the home cannot be listed.
base::Result<CatalogListing> list_catalog(const Home& home, const Viewpoint& from,
                                          const ListProgress& progress = {});

// One run, read anew; the catalog is not asked.
CatalogEntry list_one(const Home& home, const std::string& id, const Viewpoint& from);

// Throws the catalog away; the next list_catalog makes it anew.
base::Result<void> drop_catalog(const Home& home);

}  // namespace flatout::store
