// Keep a setting, drop it, or try another pair: the decision after each look.
// Pure; any thread (KeepBudget: one).
//
// A setting is kept where it is faster by more than kLeastGain for sure, and
// dropped where it surely is not. Looking after each pair is repeated testing, so
// each look has only a share of the error:
//     alpha(k / K) = alpha * k / K,   the look k of K spends alpha / K
// an alpha spending function (Lan and DeMets, Biometrika 70(3), 1983; the power
// family of Kim and DeMets, Biometrika 74(1), 1987, exponent 1). What a look
// spends is turned into a bound by Student's quantile alone, the sum of all looks
// by Bonferroni's inequality. That asks nothing of how the looks depend on each other,
// as the usual integration over independent normal increments does: variances
// here are estimated, and trials are shared.
//
// In the same way the false keeps of a whole tune, 5 %, are shared out over its
// comparisons (KeepBudget). Wrong drops have an error of their own, for each
// comparison, since a gain that is missed harms nobody; and the bound for it need
// not be obeyed for the other to hold.
//
// Refused, with reasons: docs/decisions/0018-tune-statistics.md.
#pragma once

#include <cstdint>
#include <optional>

#include "apply/statistics/comparison.h"

namespace flatout::apply {

constexpr double kLeastGain = 0.01;       // of the rate; less is not worth a setting
constexpr double kFalseKeeps = 0.05;      // P(any is kept that gains no more than that), a tune
constexpr double kMissedGains = 0.05;     // P(one that gains more is dropped), a comparison
constexpr double kHopelessChance = 0.02;  // of chance_to_keep(): not worth another pair
constexpr int kMostLooks = 4;             // pairs of trials of a comparison
constexpr int kRestlessLooks = 8;         // on a machine that is not known to be quiet

enum class Decision : std::uint8_t { kKeep, kDrop, kContinue };

// What becomes of a comparison that ends, for whatever reason, with a decision.
enum class Outcome : std::uint8_t {
  kKept,
  kDropped,    // shown to gain less than kLeastGain
  kUndecided,  // ended by the cap or the budget of time: not kept, nothing shown
};

struct SequentialTest {
  double false_keep = 0;  // error of this comparison, from KeepBudget; 0 = nothing can be kept
  int looks = kMostLooks;
};

struct Judgement {
  Decision decision = Decision::kContinue;
  // Of the log ratio, at this look's share of the errors. Absent where the look
  // has none: such a bound would be infinite.
  std::optional<double> lower;
  std::optional<double> upper;
};

// `look`: 1 after the first candidate trial, then 2, ... A look below 1 or beyond
// test.looks has no error left to spend and gives kContinue.
Judgement judge(const Estimate& estimate, int look, const SequentialTest& test);

// The chance, 0 to 1, that a comparison undecided after `look` ends as kKeep at its
// last look, as far as can be known now: the predictive power of Spiegelhalter,
// Freedman and Blackburn (Controlled Clinical Trials 7(1), 1986), for looks at
// which the present setting has one trial more than the candidate. To give up
// (kUndecided) where it is small saves time and keeps nothing false. 0 where
// there is no further look.
double chance_to_keep(const Estimate& estimate, int look, const SequentialTest& test);

// The same estimate seen from the other side of kLeastGain: judge() keeps it where it
// would show that `estimate` gains less, at the same error. For taking a setting out.
Estimate mirrored(const Estimate& estimate);

Outcome outcome_of(Decision last);

// Shares kFalseKeeps evenly over the comparisons of a tune. Their number is fixed
// before the first: a climb that may try six values counts as six.
class KeepBudget {
 public:
  // `comparisons` below 1 counts as 1.
  explicit KeepBudget(int comparisons);

  // SequentialTest::false_keep of the next comparison. Absent when all are spent:
  // then nothing more may be kept in this tune.
  std::optional<double> next();
  // The comparison that next() was for ended before its first look: it could keep
  // nothing, so the next one takes its share. At most once after each next().
  void give_back();

 private:
  int comparisons_;
  int given_ = 0;
};

}  // namespace flatout::apply
