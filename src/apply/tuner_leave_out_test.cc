// Knobs that overlap, and the order in which knobs are tried.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apply/overlap.h"
#include "apply/proposals.h"
#include "apply/statistics/blocks.h"
#include "apply/tuning_fixture.h"

namespace flatout::apply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Prefetching is kept on its own merit; then more workers make it superfluous, or do not.
run::TuneReport tuned_with_overlap(bool superfluous) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [=](int workers, int prefetch) {
    const double of_prefetch = prefetch <= 2 ? 1 : superfluous && workers > 2 ? 0.9 : 1.3;
    return Behaviour{.samples_per_s = 100 * (workers > 2 ? 2.0 : 1.0) * of_prefetch};
  });
  program.advise = [](int workers, int prefetch) {
    if (prefetch == 2)
      return MadeUpProgram::Advice{advice("dataloader.prefetch_factor", "2", "4", 1.3)};
    return workers == 4 ? MadeUpProgram::Advice{}
                        : MadeUpProgram::Advice{workers_advice(1, 4, 1.6)};
  };
  program.start_workers = 1;
  return tuning.of(program);
}

TEST(Tuner, WhatALaterKnobMakesSuperfluousIsLeftOutAgain) {
  const auto report = tuned_with_overlap(true);
  ASSERT_EQ(report.trials.size(), 3U);
  const auto& row = report.trials[2];
  EXPECT_EQ(row.knob + " " + row.from + " " + row.to, "dataloader.prefetch_factor 2 4");
  EXPECT_FALSE(row.kept);
  EXPECT_THAT(row.reason, HasSubstr("ablated: gains less than 1 % beside dataloader.num_workers"));
  EXPECT_LT(row.speedup->hi, 1.01);
  EXPECT_FALSE(row.runs.empty());
  ASSERT_EQ(report.plan.entries.size(), 1U);
  EXPECT_EQ(report.plan.entries[0].setting.knob, "dataloader.num_workers");
  EXPECT_FALSE(report.plan.entries[0].measured) << "it was measured on top of what is out";
  ASSERT_TRUE(report.final);
  EXPECT_NEAR(report.final->speedup->ratio, 2, 0.1);
}

TEST(Tuner, WhatStillGainsBesideALaterKnobStays) {
  const auto report = tuned_with_overlap(false);
  EXPECT_EQ(report.trials.size(), 2U);
  EXPECT_EQ(report.plan.entries.size(), 2U);
  EXPECT_TRUE(report.plan.entries[1].measured);
  EXPECT_NEAR(report.final->speedup->ratio, 2.6, 0.2);
}

TEST(Overlap, IsARelationOfKindsAndOfTheOrderOfKeeps) {
  EXPECT_TRUE(overlap("precision.tf32", "compile.mode"));
  EXPECT_TRUE(overlap("dataloader.num_workers", "env.intraop_threads"));
  EXPECT_FALSE(overlap("dataloader.num_workers", "dataloader.prefetch_factor"));  // needs them
  EXPECT_TRUE(overlap("dataloader.prefetch_factor", "dataloader.num_workers"));
  EXPECT_FALSE(overlap("dataloader.engine", "dataloader.cache"));  // a cache of the engine
  EXPECT_FALSE(overlap("dataloader.pin_memory", "dataloader.non_blocking"));  // of pinned batches
  EXPECT_FALSE(overlap("user.workers", "dataloader.num_workers"));
  EXPECT_FALSE(overlap("dataloader.num_workers", "precision.bf16"));
  EXPECT_FALSE(overlap("optimizer.fused", "alloc.expandable_segments"));
  const auto row = [](const char* knob, bool kept) {
    run::TuneTrial out;
    out.knob = knob;
    out.kept = kept;
    return out;
  };
  const std::vector<run::KnobSetting> stack = {
      {"precision.tf32", "true"}, {"precision.bf16", "true"}, {"x", "1"}};
  const auto pairs =
      overlapping(stack, {row("precision.bf16", true), row("precision.tf32", true), row("x", true),
                          row("layout.channels_last", false), row("precision.bf16", true)});
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].knob + pairs[0].later, "precision.tf32precision.bf16");
}

TEST(Proposals, CostIsWhatATrialTakesMore) {
  const Candidate many = {.value = "16", .from = "0", .predicted = run::Speedup{2, 1.9, 2.1}};
  const Candidate few = {.value = "1", .from = "0", .predicted = run::Speedup{2, 1.9, 2.1}};
  EXPECT_EQ(trial_cost(dataloader_num_workers(), few, 40), 1);
  EXPECT_NEAR(trial_cost(dataloader_num_workers(), many, 40),
              static_cast<double>(always_enough_steps(16)) / 40 / 2, 1e-9);
  EXPECT_GT(trial_cost(dataloader_num_workers(), many, 40), 1);
  EXPECT_EQ(trial_cost(dataloader_num_workers(), many, 100'000), 1);
  EXPECT_EQ(trial_cost(precision_tf32(), {.value = "true", .from = "false", .predicted = {}}, 40),
            1);
}

}  // namespace
}  // namespace flatout::apply
