// Settings that are tried inside the training that counts, with a made-up program.
#include "apply/live_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "apply/driven_tuning_fixture.h"

namespace flatout::apply {
namespace {

constexpr const char* kLiveWorkers = "dataloader.num_workers";

struct Training final : DrivenProgram {
  base::FakeClock clock;
  double gain = 2;       // of 4 workers
  int ends_after = 1e6;  // blocks
  bool takes_it = true;
  double start_s = 0;  // of its workers, when they are first there
  std::vector<BlockSpec> blocks;
  std::mt19937 random{3};
  TrialResult so_far;
  LiveTuneOptions options;
  std::vector<run::TuneTrial> told;

  Training() {
    MadeUpProgram made(clock, [](int, int) { return Behaviour{.samples_per_s = 100.0}; });
    made.advise = [](int workers, int) {
      return MadeUpProgram::Advice{workers_advice(workers, 4, 2)};
    };
    made.fetch_draws = false;
    so_far = made.run({.knobs = {}, .steps = 200}).value();
  }
  BlockResult block(const BlockSpec& spec) override {
    blocks.push_back(spec);
    if (static_cast<int>(blocks.size()) > ends_after) {
      return {.outcome = BlockOutcome::kProgramEnded, .why = "the program has ended"};
    }
    const bool four = number(spec.knobs, kLiveWorkers, 0) == 4;
    std::normal_distribution<double> noise(0, 0.02);
    const double step_s = 0.32 / (four ? gain : 1) * std::exp(noise(random));
    BlockResult out{.outcome = BlockOutcome::kMeasured, .steps = spec.steps};
    out.block_ns = static_cast<std::int64_t>(static_cast<double>(spec.steps) * step_s * 1e9);
    out.settle_ns =
        static_cast<std::int64_t>(static_cast<double>(spec.settle_steps) * step_s * 1e9);
    if (four) out.settle_ns += static_cast<std::int64_t>(std::exchange(start_s, 0) * 1e9);
    for (const auto& setting : spec.knobs) {
      out.outcomes.push_back({.asked = setting, .from = "0", .applied = takes_it, .reason = "no"});
    }
    clock.advance(out.block_ns + out.settle_ns);
    return out;
  }
  bool rest() override { return false; }
  base::Result<TrialResult> recorded() override { return nothing(); }
  base::Result<TrialResult> let_go(base::DurationNs) override { return nothing(); }
  std::string run() const override { return "k7f2"; }
  static base::Result<TrialResult> nothing() {
    return base::fail(base::ErrorCode::kUnavailable, "no trial");
  }
  LiveTuned tuned() {
    return tune_live(*this, so_far, options, clock, [&](const auto& row) { told.push_back(row); });
  }
};

TEST(LiveTuner, WhatIsFasterStaysAndIsInThePlan) {
  Training training;
  const LiveTuned found = training.tuned();
  ASSERT_EQ(found.trials.size(), 1U);
  EXPECT_TRUE(found.trials[0].kept);
  EXPECT_EQ(training.told.size(), 1U);
  ASSERT_EQ(found.plan.entries.size(), 1U);
  EXPECT_EQ(found.plan.entries[0].setting.value, "4");
  ASSERT_TRUE(found.plan.entries[0].measured);
  EXPECT_NEAR(found.plan.entries[0].measured->ratio, 2, 0.1);
  EXPECT_TRUE(training.blocks.back().stays);
  EXPECT_EQ(number(training.blocks.back().knobs, kLiveWorkers, 0), 4);
  EXPECT_GT(found.search_s, 0);
  EXPECT_EQ(found.cut_by, "");
}

TEST(LiveTuner, WhatIsNotIsPutBackAndItsCostIsCounted) {
  for (const double gain : {1.0, 0.5}) {
    Training training;
    training.gain = gain;
    const LiveTuned found = training.tuned();
    ASSERT_EQ(found.trials.size(), 1U);
    EXPECT_FALSE(found.trials[0].kept);
    EXPECT_TRUE(found.plan.entries.empty());
    EXPECT_TRUE(training.blocks.back().stays);
    EXPECT_TRUE(training.blocks.back().knobs.empty());
    EXPECT_EQ(found.lost_s > 1, gain < 1);
  }
}

TEST(LiveTuner, NothingThatMayChangeWhatIsLearntIsTried) {
  for (const std::optional<bool> draws : {std::optional(true), std::optional<bool>()}) {
    Training training;
    training.so_far.evidence.fetch_draws = draws;
    const LiveTuned found = training.tuned();
    EXPECT_TRUE(found.trials.empty());
    ASSERT_EQ(found.skipped.size(), 1U);
    EXPECT_THAT(found.skipped[0].reason, testing::HasSubstr("random numbers"));
    EXPECT_EQ(training.blocks.size(), 1U) << "that which says that nothing more comes";
  }
}

TEST(LiveTuner, AProgramThatEndsCutsTheSearch) {
  for (const int ends_after : {0, 1, 2, 5}) {
    Training training;
    training.ends_after = ends_after;
    const LiveTuned found = training.tuned();
    EXPECT_EQ(found.cut_by, "the program has ended");
    EXPECT_TRUE(found.plan.entries.empty());
  }
}

TEST(LiveTuner, ASettingThatTheProgramDoesNotTakeIsOneRow) {
  Training training;
  training.takes_it = false;
  const LiveTuned found = training.tuned();
  ASSERT_EQ(found.trials.size(), 1U);
  EXPECT_EQ(found.trials[0].reason, "not applied: no");
  EXPECT_EQ(training.blocks.size(), 3U) << "tried twice, and that which says that it stays";
}

// An epoch of 20 steps takes 6.4 s, of which 3.2 are saved.
TEST(LiveTuner, WorkersThatStartAnewEachEpochMustSaveMoreThanThat) {
  for (const double start_s : {0.5, 6.0}) {
    Training training;
    training.so_far.epochs.loader_steps = 20;
    training.start_s = start_s;
    const LiveTuned found = training.tuned();
    ASSERT_EQ(found.trials.size(), 1U);
    EXPECT_EQ(found.trials[0].kept, start_s < 1) << found.trials[0].reason;
    EXPECT_EQ(found.plan.entries.size(), start_s < 1 ? 1U : 0U);
  }
  Training shortest;
  shortest.so_far.epochs.loader_steps = 4;
  EXPECT_TRUE(shortest.tuned().trials.empty());
}

TEST(LiveTuner, TheTimeForItEnds) {
  Training training;
  training.options.budget_ns = base::kSecond;
  const LiveTuned found = training.tuned();
  EXPECT_TRUE(found.plan.entries.empty());
  EXPECT_LT(training.blocks.size(), 6U);
}

TEST(LiveTuner, SettingsOfThePlanAreInEachBlock) {
  Training training;
  training.options.present = {{"dataloader.pin_memory", "true"}};
  (void)training.tuned();
  for (const BlockSpec& spec : training.blocks) {
    EXPECT_NE(std::ranges::find(spec.knobs, training.options.present[0]), spec.knobs.end());
  }
}

}  // namespace
}  // namespace flatout::apply
