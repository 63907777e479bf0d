#include "apply/samples_seen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>

#include "apply/loss_gate.h"

namespace flatout::apply {
namespace {

using Indices = std::vector<int>;
using run::LossGate;

constexpr int kLength = 2048;
constexpr unsigned kRounds = 60;

std::string hash_of(const Indices& indices) {
  std::uint64_t hash = 0;
  for (const int one : indices) hash = hash * 1000003 + static_cast<std::uint64_t>(one) + 1;
  return std::to_string(hash);
}

// As the hook describes them (hooks/trial/samples.py).
SamplesSeen described(const Indices& seen) {
  SamplesSeen out;
  Indices sorted = seen;
  std::ranges::sort(sorted);
  out.samples = static_cast<double>(seen.size());
  for (std::size_t i = 1; i < sorted.size(); ++i) out.repeats += sorted[i] == sorted[i - 1];
  out.together = hash_of(sorted);
  out.rests.assign(16, 0);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ++out.rests[static_cast<std::size_t>(seen[i] % 16)];
    if (i == 0) continue;
    out.rising += seen[i] > seen[i - 1];
    out.successors += seen[i] == seen[i - 1] + 1;
  }
  for (std::size_t part = 0; part <= 16; ++part) {
    out.quantiles.push_back(sorted[(sorted.size() - 1) * part / 16]);
  }
  return out;
}

Indices counted(int length) {
  Indices out(static_cast<std::size_t>(length));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Indices shuffled(std::mt19937& random, int length = kLength) {
  Indices out = counted(length);
  std::ranges::shuffle(out, random);
  return out;
}

Indices with_replacement(std::mt19937& random) {
  Indices out(kLength);
  for (int& one : out) one = static_cast<int>(random() % kLength);
  return out;
}

// Neighbours of one length together, as samplers by length do.
Indices in_groups(std::mt19937& random) {
  Indices groups = shuffled(random, kLength / 32);
  Indices out;
  for (const int group : groups) {
    for (int i = 0; i < 32; ++i) out.push_back(group * 32 + i);
  }
  return out;
}

// A trial of `batches` batches of 32 of this order.
LossEvidence trial(std::mt19937& random, const Indices& order, int batches = 32) {
  LossEvidence out;
  std::normal_distribution<double> normal(0, 0.05);
  for (int i = 0; i < 60; ++i) out.losses.push_back(1 + normal(random));
  for (int n = 8; n <= batches; n *= 2) {
    const Indices first(order.begin(), order.begin() + n * 32);
    out.samples_seen[1].first[n] = described(first);
    out.sample_orders[1][n] = hash_of(first);
  }
  return out;
}

using Sampler = std::function<Indices(std::mt19937&)>;

int failures(const Sampler& without, const Sampler& with, int batches, KnobChanges changes) {
  int failed = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    std::mt19937 random(round);
    const auto one = [&](const Sampler& sampler) {
      return trial(random, sampler(random), batches);
    };
    const std::vector<LossEvidence> same = {one(without), one(without)};
    const std::vector<LossEvidence> seeds = {one(without), one(without)};
    const auto opinion = judge_loss(changes, same, seeds, one(with));
    failed += opinion.gate == LossGate::kFailed;
  }
  return failed;
}

const Sampler kShuffled = [](std::mt19937& random) { return shuffled(random); };

TEST(SamplesSeen, AProgramThatShufflesAnewEachTimeKeepsAKnobThatChangesNothing) {
  // 1 % of sound knobs are refused by their loss; the samples may add 1 % at most.
  for (const int batches : {8, 32}) {
    EXPECT_LE(failures(kShuffled, kShuffled, batches, KnobChanges::kDraws), 4);
    EXPECT_LE(failures(kShuffled, kShuffled, batches, KnobChanges::kNothing), 1);
    EXPECT_LE(failures(with_replacement, with_replacement, batches, KnobChanges::kNothing), 1);
    EXPECT_LE(failures(in_groups, in_groups, batches, KnobChanges::kNothing), 1);
  }
}

TEST(SamplesSeen, AKnobThatDropsRepeatsOrUnshufflesFails) {
  const std::pair<const char*, Sampler> harms[] = {
      {"not shuffled", [](std::mt19937&) { return counted(kLength); }},
      {"in blocks", in_groups},
      {"half of the set",
       [](std::mt19937& random) {
         Indices out = shuffled(random, kLength / 2);
         const Indices more = shuffled(random, kLength / 2);
         out.insert(out.end(), more.begin(), more.end());
         return out;
       }},
      {"each second sample",
       [](std::mt19937& random) {
         Indices out = shuffled(random);
         std::ranges::stable_sort(out, {}, [](int one) { return one % 2; });
         return out;
       }},
      {"with replacement", with_replacement},
      {"each one twice", [](std::mt19937& random) {
         Indices out = shuffled(random);
         for (std::size_t i = 1; i < out.size(); i += 2) out[i] = out[i - 1];
         return out;
       }}};
  for (const auto& [what, harm] : harms) {
    EXPECT_GE(failures(kShuffled, harm, 32, KnobChanges::kDraws), 59) << what;
    EXPECT_GE(failures(kShuffled, harm, 32, KnobChanges::kNothing), 59) << what;
  }
}

TEST(SamplesSeen, OfAWholeEpochEachSampleCounts) {
  std::mt19937 random(3);
  std::vector<LossEvidence> same;
  for (int i = 0; i < 2; ++i) {
    const Indices order = shuffled(random, 1024);
    same.push_back(trial(random, order));
    same.back().samples_seen[1].epoch = described(order);
  }
  const std::vector<LossEvidence> seeds = same;
  Indices order = shuffled(random, 1024);
  auto candidate = trial(random, order);
  candidate.samples_seen[1].epoch = described(order);
  EXPECT_EQ(judge_loss(KnobChanges::kDraws, same, seeds, candidate).gate, LossGate::kPassed);
  const Indices unshuffled = counted(1024);  // which holds the same ones
  auto in_order = trial(random, unshuffled);
  in_order.samples_seen[1].epoch = described(unshuffled);
  EXPECT_EQ(judge_loss(KnobChanges::kDraws, same, seeds, in_order).gate, LossGate::kFailed);
  order.back() = order.front();  // one of 1024
  candidate.samples_seen[1].epoch = described(order);
  const auto opinion = judge_loss(KnobChanges::kDraws, same, seeds, candidate);
  EXPECT_EQ(opinion.gate, LossGate::kFailed);
  EXPECT_EQ(opinion.reason, "an epoch does not hold the same samples");
}

TEST(SamplesSeen, WhatIsNotKnownDecidesNothing) {
  std::mt19937 random(3);
  const std::vector<LossEvidence> same = {trial(random, shuffled(random)),
                                          trial(random, shuffled(random))};
  auto candidate = trial(random, shuffled(random));
  candidate.samples_seen.clear();
  EXPECT_EQ(judge_loss(KnobChanges::kDraws, same, same, candidate).gate, LossGate::kInconclusive);
  EXPECT_EQ(judge_loss(KnobChanges::kNothing, same, same, candidate).gate, LossGate::kNotNeeded);
  // Where two trials have one order, another one is the knob's doing.
  const std::vector<LossEvidence> seeded = {same[0], same[0]};
  EXPECT_EQ(judge_loss(KnobChanges::kDraws, seeded, same, same[1]).reason,
            "the samples come in another order");
}

TEST(SamplesSeen, IndicesThatAreNoNumbersAreComparedByWhatIsKnown) {
  const auto names = [](double repeats, const std::string& hash) {
    return SamplesByLoader{
        {1, {.first = {{8, {.samples = 64, .repeats = repeats, .together = hash}}}, .epoch = {}}}};
  };
  const SamplesByLoader a = names(0, "a");
  const SamplesByLoader b = names(0, "b");
  const SamplesByLoader* const baselines[] = {&a, &b};
  EXPECT_EQ(same_samples(baselines, names(0, "c")).same, SameSamples::kYes);
  EXPECT_EQ(same_samples(baselines, names(3, "c")).same, SameSamples::kNo);
  EXPECT_EQ(same_samples(baselines, {}).same, SameSamples::kUnknown);
}

}  // namespace
}  // namespace flatout::apply
