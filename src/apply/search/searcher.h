// The search loop: the program as it is, then points by asha.h on all slots, then
// the best point against the program as it is. Starts nothing by itself: a
// SearchRunner does. One thread.
//
// Each rung is a run of its own from the beginning; nothing is resumed inside the
// program.
#pragma once

#include <optional>
#include <string>

#include "apply/search/measure.h"
#include "apply/search/points.h"
#include "apply/search/space.h"
#include "base/time.h"
#include "run/search.h"

namespace flatout::apply {

struct SearchTrial {
  int ticket = 0;            // by which its end is reported
  const SearchPoint* point;  // empty = the program as it is; valid until its end is reported
  std::int64_t steps = 0;
  base::DurationNs timeout_ns = 0;  // after which it is ended
  std::string name;                 // of the run, for `ls`: "#7 --lr=0.01"
  bool final = false;               // of the last comparison
};

struct EndedTrial {
  int ticket = 0;
  MeasuredTrial measured;  // trial.failure says why it measured nothing
};

class SearchRunner {
 public:
  virtual ~SearchRunner() = default;
  virtual int slots() const = 0;  // trials at one time, at least 1
  // An Error means that no trial can be run at all.
  virtual base::Result<void> start(const SearchTrial& trial) = 0;
  // One of those that run, whichever ends first. Never called when none does.
  virtual base::Result<EndedTrial> wait() = 0;
  // The user wants it to end: what runs is ended, nothing new begins.
  virtual bool interrupted() const = 0;
};

// Told what goes on. Every function may do nothing.
class SearchListener {
 public:
  virtual ~SearchListener() = default;
  virtual void baseline(const run::SearchReport& so_far) = 0;
  // `point` begins at `rung`; its earlier results are in it.
  virtual void begins(const run::SearchReport& so_far, const run::SearchPointReport& point,
                      int rung) = 0;
  // The last of `point`'s results is new.
  virtual void ended(const run::SearchReport& so_far, const run::SearchPointReport& point) = 0;
  virtual void confirming(const run::SearchPointReport& point, int run, int of) = 0;
};

constexpr int kConfirmRuns = 3;  // of the best point, and of the program as it is
// A trial that takes this many times what the baseline promises is hung.
constexpr int kSearchTimeoutFactor = 4;
constexpr base::DurationNs kLeastSearchTimeoutNs = 30 * base::kSecond;
constexpr base::DurationNs kFirstSearchTimeoutNs = 600 * base::kSecond;

// Errors: the runner's; kUnavailable where the program as it is cannot be measured.
// An interrupted search or a used-up budget is no error.
base::Result<run::SearchReport> search(SearchRunner& runner, const SearchSpace& space,
                                       const base::Clock& clock, SearchListener& listener);

}  // namespace flatout::apply
