// Two settings of one process, in pairs of blocks: how much faster is the second, and how sure is
// that. Pure; one thread.
//
// The order in a pair is the caller's, and random, so that a drift of the machine favours neither.
// A pair's log ratio is one observation; the mean of n of them has Student's distribution with
// n - 1 degrees. Each look has its share of the errors (sequential.h); looks are far apart where
// there are many pairs, since each costs a share.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "apply/statistics/sequential.h"

namespace flatout::apply {

// Pairs after which one looks: each a third more than the one before, which loses little against
// looking after every pair and leaves each look seven times the error.
constexpr std::array<std::size_t, 8> kBlockLooks = {4, 6, 9, 13, 18, 25, 35, 48};

// Below this chance that the last look keeps it, no further pair is made: what is missed so gains
// little more than is worth a setting.
constexpr double kHopelessBlocks = 0.05;

class PairedBlocks {
 public:
  // `false_keep`: the error of this comparison, from KeepBudget.
  explicit PairedBlocks(double false_keep) : false_keep_(false_keep) {}

  // Times of a step, > 0, of the present setting and of the candidate.
  void add(double present_step_s, double candidate_step_s);

  std::size_t pairs() const { return log_ratios_.size(); }
  // Absent with fewer than two pairs, and where all are equal to the last bit.
  std::optional<Estimate> estimate() const;
  // kContinue between looks, once it was not decided at one, and after the last.
  Decision decide() const;
  // It can still be decided, and further pairs are worth that.
  bool worth_more() const;

 private:
  int look() const;  // from 1; 0 = none at this number of pairs

  double false_keep_;
  std::vector<double> log_ratios_;
};

}  // namespace flatout::apply
