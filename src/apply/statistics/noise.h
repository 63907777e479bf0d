// How much trials of one setting differ. Pure; not for use by two threads at once.
//
// The variance of a trial's log rate has two parts:
//   within   steps differ: told by the trial's own blocks (TrialRate::variance);
//   between  processes differ, in clocks, page cache, memory layout, neighbours:
//            told only by trials of the same setting (NoiseModel).
//
// The variance between trials is that of a random-effects model, by moments
// (DerSimonian and Laird, Controlled Clinical Trials 7(3), 1986): squared
// deviations from each setting's mean, less what the variance within explains,
// over their degrees of freedom, summed over all settings seen.
//
// Prior: as if one pair of trials had been seen before that differed as those of
// kPriorSpread do. It keeps two runs that agree by chance from promising no
// noise at all, and its weight of one degree is gone after a few pairs. The value
// stands between what tests/whatif/measured.json holds (4 programs at 4 numbers of
// workers, 3 rounds each, on a machine kept for them): over its 16 settings the
// spread between rounds has a median of 0.7 % and a root mean square of 2.7 %.
//
// Where others use the machine while trials run, or nobody can see whether they do, trials differ
// by more than that, and the first two may agree by chance: the prior is then kRestlessSpread
// (docs/decisions/0078-rates-by-the-clock.md).
//
// Settings differ in their noise, in those data from 0.05 % to 7 %. So what others
// show says where to begin, and counts for kNoiseDegrees degrees of freedom beside
// those of the two settings compared, however many trials there were (a
// discounted prior: Ibrahim and Chen, "Power prior distributions for regression
// models", Statistical Science 15(1), 2000).
#pragma once

#include <optional>
#include <span>

#include "apply/statistics/blocks.h"

namespace flatout::apply {

constexpr double kPriorSpread = 0.015;    // standard deviation of the log rate between trials
constexpr double kRestlessSpread = 0.06;  // the same on a machine that is not known to be quiet
constexpr int kNoiseDegrees = 1;
constexpr double kLeastSpread = 0.001;  // no two processes are more alike than this

// What a trial says: one process, one number, and how sure it is of it.
struct TrialRate {
  double log_rate = 0;  // natural logarithm of samples a second
  double variance = 0;  // of log_rate, within the trial, >= 0
};

// The variance is that of a ratio of sums over blocks taken as independent
// (delta method; Cochran, Sampling Techniques, 3rd ed., chapter 6). Where blocks are not
// quite, it is too small; repeated trials then show it as noise between them.
// `throughput` as steady_throughput() gives it.
TrialRate rate_of(const Throughput& throughput);

// Standard deviation of the log rate of trials of one setting, both parts: the
// "noise" of a report. Absent with fewer than two.
std::optional<double> spread_of(std::span<const TrialRate> same_setting);

class NoiseModel {
 public:
  // `prior_spread`: kPriorSpread or kRestlessSpread.
  explicit NoiseModel(double prior_spread = kPriorSpread)
      : prior_spread_(prior_spread), squares_(prior_spread * prior_spread) {}

  // Trials of one setting, each setting once, and never one that takes part in
  // the comparison for which the model is asked: compare() counts those itself.
  // Fewer than two teach nothing.
  void learn(std::span<const TrialRate> same_setting);

  // Between trials, of the log rate. At least kLeastSpread squared.
  double variance_between() const;
  double prior_spread() const { return prior_spread_; }

 private:
  double prior_spread_;
  double squares_;
  int degrees_ = 1;
};

}  // namespace flatout::apply
