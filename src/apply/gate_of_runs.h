// Judges if a setting changes what is learnt, from runs of a few steps that all begin with one
// state of the training (TrainingRun in driven_program.h). Pure; any thread.
//
// Rounding: the runs have the same batches and the same random numbers. A difference then comes
// from the setting, or from the program, whose own share a second run without the setting shows.
// Two things are compared:
//   losses   their mean over the second half may move by kTimesRerun times as much as between the
//            two runs without the setting, by the standard error of that mean from the spread of
//            the losses between batches, or by kShareOfLoss of the loss, whichever is most.
//   moves    how far the parameters moved, and in which direction. A few steps show it long before
//            a loss does.
// Draws: each run has batches of its own, and the mean of those with the setting has to lie in the
// prediction interval of the others (see loss_gate.h), at 99 %.
#pragma once

#include <span>
#include <vector>

#include "apply/driven_program.h"
#include "apply/loss_gate.h"

namespace flatout::apply {

// In a run. With as many runs as each rule needs, at most 60 steps decide.
constexpr std::uint64_t kSameBatchSteps = 12;
constexpr std::uint64_t kFreshBatchSteps = kFewestLosses;
constexpr int kGatePairs = 3;  // of runs with batches of their own
// Bounds of the ratio for a single parameter. A dead or noisy one varies within them; a frozen
// one, or one that is updated several times, does not.
constexpr double kLeastMove = 0.2;
constexpr double kMostMove = 5;
// Between the two movements: below it the parameters went elsewhere.
constexpr double kLeastCosine = 0.7;

// `reference` and `rerun`: without the setting. `rerun` and `candidate` have `moved`, beside
// `reference`, where that was seen.
GateOpinion judge_same_batches(const TrainingSeen& reference, const TrainingSeen& rerun,
                               const TrainingSeen& candidate);

// As many of each, at least two.
GateOpinion judge_fresh_batches(std::span<const TrainingSeen> present,
                                std::span<const TrainingSeen> candidate);

}  // namespace flatout::apply
