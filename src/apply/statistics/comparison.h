// Two settings, each with some trials: how much faster is the second, and how
// sure is that. Pure; any thread.
//
// Each arm's mean weighs its trials by 1 / (between + within), the variances of
// noise.h, so that a trial with a step of ten times the length counts less than
// its fellows. No trial counts more than one of median variance: few blocks that
// agree by chance are no merit.
//
// The variance of the difference is rescaled by what the trials of these two arms
// show themselves, the generalised Q statistic over its degrees of freedom
// (Hartung and Knapp, Statistics in Medicine 20(12), 2001), in which the noise
// model counts as kNoiseDegrees that fit it, as long as these trials do not speak
// against it. Student's distribution with all these degrees then holds for few trials.
//
// An arm that fits worse than both together is rescaled by its own Q alone: more
// workers than cores make a setting restless, and calm baseline runs must not
// vouch for it. Where an arm has one trial only, nobody knows the noise between
// its processes: its variance is at least that of the prior.
//
// The order of trials is the caller's: interleaved (A A B A B A B ...), so that a
// slow drift of the machine meets both arms, and only those A trials that stand
// beside the B trials. Older ones belong in the noise model.
#pragma once

#include <optional>
#include <span>

#include "apply/statistics/noise.h"
#include "run/predictor.h"

namespace flatout::apply {

// Of the logarithm of the candidate's rate over the present one.
struct Estimate {
  double log_ratio = 0;
  double standard_error = 0;  // > 0
  int degrees = 1;            // of freedom, of Student's distribution
};

// `noise`: learnt from settings other than these two. Absent where an arm has no
// trial, a rate or variance is not finite, or a variance is negative.
std::optional<Estimate> compare(std::span<const TrialRate> present,
                                std::span<const TrialRate> candidate, const NoiseModel& noise);

// With its 95 % interval, for reports. `looks`: after how many of them the comparison might have
// ended, each of which has its share of the 5 %, so that the interval holds the truth as often
// wherever it ended (Bonferroni). 1 = it was to end here.
run::Speedup speedup_of(const Estimate& estimate, int looks = 1);

}  // namespace flatout::apply
