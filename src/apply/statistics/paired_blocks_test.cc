// Comparisons of made-up blocks, whose truth is known.
#include "apply/statistics/paired_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace flatout::apply {
namespace {

constexpr double kBlockShare = kFalseKeeps / 8;

struct BlockMachine {
  double noise = 0.03;    // of a block
  double drift = 0;       // a step's time grows by this share with each block
  double hiccups = 0;     // the chance that others stop a block
  double hiccup_len = 3;  // then it takes so many times as long
};

struct BlocksEnded {
  Decision decision = Decision::kContinue;
  run::Speedup speedup;
  std::size_t pairs = 0;
};

BlocksEnded compare_blocks(double gain, const BlockMachine& machine, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  double now_s = 0.01;
  const auto block = [&](double faster) {
    now_s *= 1 + machine.drift;
    const bool stopped = uniform(random) < machine.hiccups;
    return now_s / faster * std::exp(machine.noise * normal(random)) *
           (stopped ? machine.hiccup_len : 1);
  };
  PairedBlocks pairs(kBlockShare);
  BlocksEnded out;
  while (out.decision == Decision::kContinue && pairs.worth_more()) {
    const bool candidate_first = random() % 2 == 0;
    const double first = block(candidate_first ? gain : 1);
    const double second = block(candidate_first ? 1 : gain);
    pairs.add(candidate_first ? second : first, candidate_first ? first : second);
    out.decision = pairs.decide();
  }
  out.pairs = pairs.pairs();
  out.speedup = speedup_of(*pairs.estimate(), static_cast<int>(kBlockLooks.size()));
  return out;
}

struct BlocksCounted {
  int kept = 0, holds = 0;
  double pairs = 0;
};

BlocksCounted many_blocks(double gain, const BlockMachine& machine, int times) {
  std::mt19937 random(11);
  BlocksCounted out;
  for (int i = 0; i < times; ++i) {
    const BlocksEnded ended = compare_blocks(gain, machine, random);
    out.kept += ended.decision == Decision::kKeep ? 1 : 0;
    out.holds += ended.speedup.lo <= gain && gain <= ended.speedup.hi ? 1 : 0;
    out.pairs += static_cast<double>(ended.pairs) / times;
  }
  return out;
}

TEST(PairedBlocks, WhatDoesNothingIsHardlyEverKept) {
  for (const BlockMachine& machine :
       {BlockMachine{}, BlockMachine{.noise = 0.15}, BlockMachine{.noise = 0.03, .drift = 0.002},
        BlockMachine{.noise = 0.05, .hiccups = 0.1}}) {
    const BlocksCounted same = many_blocks(1.0, machine, 4000);
    EXPECT_LE(same.kept, 4000 * kBlockShare * 2) << machine.noise;  // its share is 0.6 %
  }
}

TEST(PairedBlocks, IntervalsHoldTheTruth) {
  for (const double gain : {0.7, 1.0, 1.03, 1.1, 1.5, 3.0}) {
    for (const BlockMachine& machine : {BlockMachine{}, BlockMachine{.noise = 0.12}}) {
      const BlocksCounted found = many_blocks(gain, machine, 2000);
      EXPECT_GE(found.holds, 1900) << gain << " " << machine.noise;
    }
  }
}

TEST(PairedBlocks, GainsAreFoundSoon) {
  EXPECT_GE(many_blocks(1.5, {}, 1000).kept, 995);
  EXPECT_LE(many_blocks(1.5, {}, 1000).pairs, 5);
  EXPECT_GE(many_blocks(1.05, {}, 1000).kept, 950);
  EXPECT_GE(many_blocks(1.5, {.noise = 0.12}, 1000).kept, 950);
}

TEST(PairedBlocks, WhatIsSlowerEndsSoon) {
  const BlocksCounted slower = many_blocks(0.8, {}, 1000);
  EXPECT_EQ(slower.kept, 0);
  EXPECT_LE(slower.pairs, 5);
}

TEST(PairedBlocks, BlocksThatAreEqualDecide) {
  PairedBlocks pairs(kBlockShare);
  for (int i = 0; i < 4; ++i) pairs.add(2, 1);
  EXPECT_EQ(pairs.decide(), Decision::kKeep);
  PairedBlocks same(kBlockShare);
  for (int i = 0; i < 4; ++i) same.add(1, 1);
  EXPECT_EQ(same.decide(), Decision::kDrop);
}

TEST(PairedBlocks, FewPairsDecideNothing) {
  PairedBlocks pairs(kBlockShare);
  EXPECT_FALSE(pairs.estimate());
  EXPECT_TRUE(pairs.worth_more());
  pairs.add(2, 1);
  EXPECT_FALSE(pairs.estimate());
  pairs.add(2, 1);
  pairs.add(2, 1);
  EXPECT_EQ(pairs.decide(), Decision::kContinue);
}

TEST(PairedBlocks, WithoutAShareOfTheErrorNothingIsKept) {
  PairedBlocks pairs(0);
  for (int i = 0; i < 4; ++i) pairs.add(2, 1);
  EXPECT_NE(pairs.decide(), Decision::kKeep);
}

}  // namespace
}  // namespace flatout::apply
