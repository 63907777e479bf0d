// A run in the list of all runs, as the API gives it. Plain values.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "serve/json.h"
#include "serve/runs/live_figures.h"
#include "store/catalog.h"

namespace flatout::serve {

// The part of a row beyond its run's own entry.
struct RowContext {
  std::string kind;  // "run", "tune", "search", "trial"
  // For a tune or search, whose first run this is: the whole of them.
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

struct SeenRuns {
  std::shared_ptr<const RunList> list;
  std::size_t unread = 0;  // runs that are not in it yet, as they are still being read
};

}  // namespace flatout::serve
