// The list of all runs, as the API gives it, kept between two looks at the store. Any thread.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "serve/json.h"
#include "serve/runs/live_figures.h"
#include "store/catalog.h"
#include "store/home.h"
#include "store/run_family.h"

namespace flatout::serve {

// What a row says beyond its run's own entry.
struct RowContext {
  std::string kind;  // "run", "tune", "search", "trial"
  // Of a tune or search, whose first run this is: the whole of them.
  std::size_t trials = 0;
  bool going_on = false;          // it, or one of its trials
  base::DurationNs duration = 0;  // from the start of the first run to the end of the last
  StepFigures figures = {};       // of a run that goes on
  friend bool operator==(const RowContext&, const RowContext&) = default;
};

struct RunRow {
  store::CatalogEntry entry;
  std::string kind;  // as context.kind
  RowContext context;
  Json json;         // RunRow of the API, as the list has it
  std::string text;  // the same, written

  // RunRow of the run by itself, also where it is the first one of a tune.
  Json own() const;
};

// Newest first.
using RunList = std::vector<std::shared_ptr<const RunRow>>;

class RunRows {
 public:
  RunRows(store::Home home, LiveFigures& figures) : home_(std::move(home)), figures_(figures) {}

  // At most kFresh old. An error: the home cannot be listed.
  base::Result<std::shared_ptr<const RunList>> latest();
  // Null where there is no such run.
  std::shared_ptr<const RunRow> find(std::string_view id);
  // The next look is at the store.
  void look_again();

  static constexpr std::chrono::milliseconds kFresh{500};
  // What no folder shows, such as how long a run that goes on has gone on, or that its recorder was
  // killed, is seen this late at most.
  static constexpr std::chrono::milliseconds kLongest{5000};

 private:
  base::Result<std::shared_ptr<const RunList>> look();
  bool as_it_was();
  std::vector<RowContext> contexts(const std::vector<store::CatalogEntry>& runs);
  store::FamilyKind kind_of(const std::string& id);

  const store::Home home_;
  LiveFigures& figures_;
  std::mutex mutex_;  // one thread looks, the others wait for what it sees
  std::shared_ptr<const RunList> list_;
  std::chrono::steady_clock::time_point seen_, looked_;
  std::uint64_t folders_ = 0;  // what they looked like then
  std::uint64_t figures_seen_ = 0;
  bool beginning_ = false;  // a recording that cannot be read yet
  struct KnownKind {
    std::int64_t changed_ns = 0;  // when the folder was
    store::FamilyKind kind = store::FamilyKind::kRun;
  };
  std::unordered_map<std::string, KnownKind> kinds_;
};

}  // namespace flatout::serve
