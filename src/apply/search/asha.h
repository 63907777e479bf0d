// Which point to try next, and for how long. Pure; one thread.
//
// Asynchronous successive halving (Li et al., "A system for massively parallel
// hyperparameter tuning", arXiv 1810.05934, algorithm 2): a rung is a number of
// steps. Whenever there is room, the best point that is among the top 1/reduction
// of those ended in its rung, and was not promoted before, goes on to the next;
// where there is none, a new point begins in the lowest. Nobody waits for a rung to
// be complete.
//
// Where this differs from the paper:
//   - The number of points is bounded. Once all have ended and nothing is running,
//     the best of a rung of less than `reduction` points goes on although it is no
//     whole 1/reduction: else a small search would never reach its last rung.
//   - A point that failed counts in its rung and is never promoted. So do values
//     that are not finite.
// Of equal values the point that was drawn first is the better one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace flatout::apply {

struct AshaOptions {
  int rungs = 1;
  int reduction = 3;
  int points = 1;        // at most
  bool maximise = true;  // else the least value is the best
};

struct AshaJob {
  int point = 0;  // from 0, in the order in which they begin
  int rung = 0;   // from 0
  friend bool operator==(const AshaJob&, const AshaJob&) = default;
};

class Asha {
 public:
  explicit Asha(const AshaOptions& options) : options_(options), rungs_(options.rungs) {}

  // What to start now; nothing where all waits for what runs, or the search is over.
  std::optional<AshaJob> next();
  // A job that next() gave has ended; in any order. No value: it failed.
  void ended(const AshaJob& job, std::optional<double> value);

  // There are no more points than those begun: `job`, which next() gave, is none.
  void no_such_point(const AshaJob& job);

  // Nothing runs, and nothing will.
  bool over() const;
  // The best point of the highest rung that holds a value.
  std::optional<AshaJob> best() const;

 private:
  struct Entry {
    int point = 0;
    std::optional<double> value;
    bool promoted = false;
  };
  struct Rung {
    std::vector<Entry> ended;
    int begun = 0;
  };
  bool better(const Entry& a, const Entry& b) const;
  // The best entry of `top` that may go on; null where there is none.
  Entry* promotable(Rung& rung, std::size_t top) const;
  std::optional<AshaJob> promote(bool closing);

  AshaOptions options_;
  std::vector<Rung> rungs_;
  int begun_ = 0;
  int running_ = 0;
};

}  // namespace flatout::apply
