// Whether a knob that makes training faster leaves what is learnt alone. Pure.
//
// By what the knob may change:
//   nothing   same math, same random draws. Where two trials of the program as it is
//             give the same losses bit by bit, the knob's must be these, too; where they
//             do not, the samples must be the same.
//   draws     other random numbers in the dataset: the same samples, no loss
//             that is not finite, and a loss inside what other seeds would give: the
//             prediction interval for one more value from three trials with three
//             seeds (Hahn, "Statistical intervals for a normal population", Journal of
//             Quality Technology 2(3), 1970), at 99 %, so that one sound knob in a
//             hundred is refused.
//   rounding  the same draws, other rounding: the mean difference of paired losses
//             is at most 0.5 % of what the loss fell in the trial, or twice what two
//             trials of the program as it is differ.
//   anything  a knob that the user made: who knows. Losses that are the same bit by bit
//             pass, others are held to the rule for rounding; where none is seen,
//             nothing can be judged.
//   training  another training: see loss_by_samples.h.
// The same samples: the same sequence of indices, where two trials of the program as it is
// have one sequence. Where they do not (a program that shuffles by a seed from the clock), the
// order proves nothing, and samples_seen.h compares which samples come.
// Compared is the mean over the second half of the steps that all of them have.
//
// Draws and rounding are also held to a sane norm of the gradients, where it was
// seen: it shows in a few updates what a loss shows late (gradients that underflow or
// are never unscaled). A norm that is not finite fails where the baseline's are. Else
// each update's log ratio to the same update of the baseline is taken, and the median of
// them fails where it is beyond kNormFactor and beyond what the baseline shows of
// itself: twice the median of its repetition for rounding, the same 99 % prediction
// interval over seeds for draws.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apply/samples_seen.h"
#include "run/knob_facts.h"
#include "run/tune.h"

namespace flatout::apply {

// What a trial shows of what is learnt.
struct LossEvidence {
  std::vector<double> losses;   // of each backward, from the first one on; NaN stays NaN
  std::vector<double> samples;  // that each of `losses` is the mean of; empty = not known
  // Of each training loader: how many batches -> hash of the indices of so many.
  std::map<int, std::map<int, std::string>> sample_orders;
  SamplesByLoader samples_seen;     // what came, whatever the order
  std::optional<bool> fetch_draws;  // random numbers are drawn while a batch is fetched
  // Update, counted from 0 -> L2 norm over all gradients; only some updates have one.
  std::map<std::int64_t, double> grad_norms;
};

using run::KnobChanges;

struct GateOpinion {
  run::LossGate gate = run::LossGate::kNotNeeded;
  std::string reason;  // one clause where it is failed or inconclusive
  // A knob that may move them passed although no norms of gradients could be compared.
  bool without_norms = false;
};

constexpr double kRefusedShare = 0.01;  // of sound knobs that change draws or training
constexpr std::size_t kFewestLosses = 10;
constexpr std::size_t kSeeds = 3;
// Under plain SGD a norm that is larger by a factor is a learning rate that is. 1.25 is
// half a step of the usual grid of learning rates (1, 2, 5, 10: factors of 2 to 2.5,
// whose square roots are 1.4 to 1.6) with room to spare, and far above what rounding does to a
// norm: the unit roundoff of bfloat16 is 0.4 %, and it averages out over the sum.
constexpr double kNormFactor = 1.25;
constexpr std::size_t kFewestNorms = 3;  // updates in common; fewer give no median

// Enough losses, finite, and the same to the last bit: no further trial can say more.
bool same_losses(const LossEvidence& a, const LossEvidence& b);

// For a setting whose runs from one state were judged (gate_of_runs.h). Only a trial shows that all
// losses are finite and, for a knob that draws, that the same samples come; otherwise the opinion
// of the runs stands.
GateOpinion judge_beside_runs(KnobChanges changes, std::span<const LossEvidence> same_seed,
                              const LossEvidence& candidate, const GateOpinion& of_runs);

// What both files of the gate say.
GateOpinion inconclusive(std::string why);
std::string loss_text(double value);  // "2.302"

// `same_seed`: trials of what stands, with the program's own seeds; `other_seeds`: with
// moved ones, needed for kDraws only.
GateOpinion judge_loss(KnobChanges changes, std::span<const LossEvidence> same_seed,
                       std::span<const LossEvidence> other_seeds, const LossEvidence& candidate);

}  // namespace flatout::apply
