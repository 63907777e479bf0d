// One look at the store after the other, each with the rows of the one before. One thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "serve/runs/live_figures.h"
#include "serve/runs/run_row.h"
#include "store/catalog.h"
#include "store/home.h"
#include "store/run_family.h"

namespace flatout::serve {

class LookAtRuns {
 public:
  LookAtRuns(store::Home home, LiveFigures& figures) : home_(std::move(home)), figures_(figures) {}

  using Part = std::function<void(SeenRuns)>;
  // `part` is called on the way, where this look takes long and has more to show than the one
  // before.
  // `stop` ends it early. An error: the home cannot be listed, or is gone.
  base::Result<SeenRuns> look(const Part& part, const std::function<bool()>& stop);
  // The next look is at the store.
  void look_again() { looked_ = {}; }
  // The row of one run by itself, which must be there; its trials are not known.
  std::shared_ptr<const RunRow> one(const std::string& id);

  // Facts that no folder shows, such as how long a run that goes on has gone on, or that its
  // recorder was killed, is seen this late at most.
  static constexpr std::chrono::milliseconds kLongest{5000};

 private:
  base::Result<void> check_home();
  bool as_it_was();
  std::shared_ptr<const RunList> rows_of(std::vector<store::CatalogEntry> runs);
  std::vector<RowContext> contexts(const std::vector<store::CatalogEntry>& runs);
  store::FamilyKind kind_of(const std::string& id);

  const store::Home home_;
  LiveFigures& figures_;
  std::shared_ptr<const RunList> list_;
  std::chrono::steady_clock::time_point looked_;
  bool was_there_ = false;     // the folder of the runs
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
