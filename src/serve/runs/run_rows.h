// The list of all runs, as the API gives it, kept between two looks at the store. Any thread.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/json.h"
#include "store/catalog.h"
#include "store/home.h"

namespace flatout::serve {

struct RunRow {
  store::CatalogEntry entry;
  std::string kind;  // "run", "tune", "search", "trial"
  Json json;         // RunRow of the API
  std::string text;  // the same, written
};

// Newest first.
using RunList = std::vector<std::shared_ptr<const RunRow>>;

class RunRows {
 public:
  explicit RunRows(store::Home home) : home_(std::move(home)) {}

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

  const store::Home home_;
  std::mutex mutex_;  // one thread looks, the others wait for what it sees
  std::shared_ptr<const RunList> list_;
  std::chrono::steady_clock::time_point seen_, looked_;
  std::uint64_t folders_ = 0;  // what they looked like then
};

}  // namespace flatout::serve
