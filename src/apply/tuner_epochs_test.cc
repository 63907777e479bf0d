// Tunes of a made-up program whose epochs begin with a cost: what counts is the clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "apply/tuning_fixture.h"

namespace flatout::apply::epochs {
namespace {

// With workers a step is shorter, and each epoch begins with their start unless they persist.
struct EpochLoop {
  int epoch = 12;
  double alone_ms = 9, with_ms = 2;  // of a step
  double start_ms = 130;             // of the workers: half of it building them
  bool length_known = true;
  int epochs = 1'000'000;  // of the program
  double eval_ms = 0;      // after each epoch
  double import_ms = 1000;
};

class EpochProgram final : public TrialRunner {
 public:
  EpochProgram(base::FakeClock& clock, const EpochLoop& loop) : clock_(clock), loop_(loop) {}

  base::Result<TrialResult> run(const TrialSpec& spec) override {
    lengths.push_back(spec.steps);
    TrialResult out;
    out.run = "run" + std::to_string(lengths.size());
    out.workers = number(spec.knobs, "dataloader.num_workers", start_workers);
    const bool persistent = std::ranges::any_of(spec.knobs, [](const auto& setting) {
      return setting.knob == "dataloader.persistent_workers" && setting.value == "true";
    });
    const double step_ms = out.workers == 0 ? loop_.alone_ms : loop_.with_ms;
    const double between = std::exp(0.01 * normal_(random_));
    std::int64_t t_ns = 0;
    const auto all =
        static_cast<std::uint64_t>(loop_.epoch) * static_cast<std::uint64_t>(loop_.epochs);
    for (std::uint64_t i = 0; i < std::min(spec.steps, all); ++i) {
      const bool begins = i % static_cast<std::uint64_t>(loop_.epoch) == 0;
      const bool starts = begins && out.workers > 0 && (i == 0 || !persistent);
      const double half_ms = starts ? loop_.start_ms / 2 * between : 0;
      TimedStep step{.samples = 8, .begins_epoch = begins};
      step.own_ns = ns(step_ms * between * std::exp(0.03 * normal_(random_)) + half_ms);
      step.wait_ns = step.own_ns / 2 + ns(half_ms / 2);
      step.epoch_gap_ns = i == 0 ? 0 : ns(half_ms);
      if (begins && i > 0) step.eval_ns = ns(loop_.eval_ms);
      t_ns += step.own_ns + step.epoch_gap_ns + step.eval_ns;
      step.end_ns = t_ns;
      out.steps.push_back(step);
    }
    if (loop_.length_known) out.epochs.loader_steps = loop_.epoch;
    if (out.workers > 0) out.epochs.first_build_ns = ns(loop_.start_ms / 2);
    if (spec.steps > all) t_ns += ns(loop_.eval_ms);
    out.wall_ns = t_ns + ns(loop_.import_ms);
    if (out.wall_ns > spec.timeout_ns) out.failure = "hung";
    if (fails(spec)) out.failure = "exit status 1";
    clock_.advance(out.wall_ns);
    out.outside.cpu_share = 0;
    out.evidence.losses.assign(spec.steps, 1.0);
    out.evidence.fetch_draws = false;
    auto& loader = out.report.loader.emplace();
    loader.workers = out.workers;
    run::Finding finding;
    finding.id = "input_bound";
    finding.confidence = 0.9;
    if (out.workers == 0) finding.advice = {workers_advice(0, 2, 4)};
    if (out.workers > 0 && !persistent) {
      finding.advice = {advice("dataloader.persistent_workers", "false", "true", 3)};
    }
    out.report.findings.push_back(std::move(finding));
    for (const auto& setting : spec.knobs) {
      out.outcomes.push_back({.asked = setting, .from = "", .applied = true, .reason = ""});
    }
    return out;
  }
  bool interrupted() const override { return false; }

  int start_workers = 0;
  std::function<bool(const TrialSpec&)> fails = [](const TrialSpec&) { return false; };
  std::vector<std::uint64_t> lengths;

 private:
  static std::int64_t ns(double ms) { return std::llround(ms * 1e6); }

  base::FakeClock& clock_;
  EpochLoop loop_;
  std::mt19937 random_{5};
  std::normal_distribution<double> normal_{0, 1};
};

run::TuneReport tuned(const EpochLoop& loop, int start_workers = 0) {
  base::FakeClock clock;
  EpochProgram program(clock, loop);
  program.start_workers = start_workers;
  Quiet listener;
  const auto report = tune(program, {}, clock, listener);
  EXPECT_TRUE(report) << report.error().message;
  return report.value_or(run::TuneReport{});
}

TEST(TunerEpochs, WhatMovesTimeIntoTheGapsIsNotKept) {
  const auto report = tuned({});
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_FALSE(report.trials[0].kept) << "2.5 times as many samples a second in its steps";
  EXPECT_NEAR(report.trials[0].speedup->ratio, 12 * 9 / (12 * 2 + 130.0), 0.03);
  EXPECT_EQ(report.clock.by, "epochs");
  EXPECT_EQ(report.clock.epoch_steps, 12);
}

// Where they are there already, letting them live is a gain, and a large one.
TEST(TunerEpochs, WorkersThatLiveOnAreKept) {
  const auto report = tuned({}, 2);
  ASSERT_EQ(report.plan.entries.size(), 1U);
  EXPECT_EQ(report.plan.entries[0].setting.knob, "dataloader.persistent_workers");
  EXPECT_NEAR(report.trials[0].speedup->ratio, (12 * 2 + 130.0) / (12 * 2), 0.3);
}

// An epoch has 125 steps and a start of 0.5 s, as of workers of a loader that fetches from a store.
TEST(TunerEpochs, AGainIsWhatTheClockSays) {
  const auto report = tuned({.epoch = 125, .alone_ms = 96, .with_ms = 7.6, .start_ms = 500});
  ASSERT_GE(report.trials.size(), 1U);
  EXPECT_TRUE(report.trials[0].kept);
  EXPECT_NEAR(report.trials[0].speedup->ratio, 125 * 96 / (125 * 7.6 + 500), 0.5)
      << "x12.6 in its steps";
}

// A trial of what was kept holds six epochs in a moment, which the program as it is takes minutes
// for: the last comparison gives each side the steps and the time that it needs itself.
constexpr EpochLoop kSlowAlone = {.epoch = 125, .alone_ms = 112, .with_ms = 4, .start_ms = 50};

TEST(TunerEpochs, AProgramThatWasVerySlowIsMeasuredInTheLastComparison) {
  const auto report = tuned(kSlowAlone);
  ASSERT_TRUE(report.final.has_value());
  EXPECT_TRUE(report.final->confirmed);
  EXPECT_FALSE(report.plan.entries.empty());
  EXPECT_LT(report.seconds, 120);
}

run::TuneReport tuned_where(const std::function<bool(const TrialSpec&)>& fails) {
  base::FakeClock clock;
  EpochProgram program(clock, kSlowAlone);
  program.fails = fails;
  Quiet listener;
  return tune(program, {}, clock, listener).value_or(run::TuneReport{});
}

TEST(TunerEpochs, AProgramThatFailsAsItIsDoesNotSpeakAgainstThePlan) {
  const auto report =
      tuned_where([](const auto& spec) { return spec.final && spec.knobs.empty(); });
  ASSERT_TRUE(report.final.has_value());
  EXPECT_FALSE(report.final->confirmed);
  EXPECT_EQ(report.final->loss_gate, run::LossGate::kPassed);
  EXPECT_FALSE(report.plan.entries.empty());
  EXPECT_THAT(report.notes, testing::Contains(testing::HasSubstr(
                                "the program as it is could not be measured in the final "
                                "comparison: exit status 1: the plan rests on")));
}

TEST(TunerEpochs, APlanThatFailsInTheLastComparisonIsNotHandedOn) {
  const auto report =
      tuned_where([](const auto& spec) { return spec.final && !spec.knobs.empty(); });
  EXPECT_TRUE(report.plan.entries.empty());
}

// As ImageNet's example on one H200: one epoch, 92 ms a step, 10 s until it trains, and 15 s of
// evaluation behind the epoch, which no trial may pay for in a budget of two minutes.
constexpr EpochLoop kEvaluates = {.epoch = 125,
                                  .alone_ms = 92,
                                  .with_ms = 34,
                                  .start_ms = 900,
                                  .epochs = 1,
                                  .eval_ms = 15'000,
                                  .import_ms = 10'000};

TEST(TunerEpochs, InABudgetNoTrialGoesOnToSeeAnEpochBeginAgain) {
  base::FakeClock clock;
  EpochProgram program(clock, kEvaluates);
  TuneOptions options;
  options.budget_ns = 120 * base::kSecond;
  Quiet listener;
  const auto report = tune(program, options, clock, listener);
  ASSERT_TRUE(report);
  EXPECT_LE(*std::ranges::max_element(program.lengths), 100U);
  EXPECT_FALSE(report->plan.entries.empty());
  EXPECT_LT(report->seconds, 125);
}

// Without one a trial may; the first that ends with the program shows that it is in vain.
TEST(TunerEpochs, AProgramOfOneEpochIsAskedForASecondOnce) {
  base::FakeClock clock;
  EpochProgram program(clock, kEvaluates);
  Quiet listener;
  ASSERT_TRUE(tune(program, {}, clock, listener));
  EXPECT_EQ(std::ranges::count_if(program.lengths, [](auto steps) { return steps > 125; }), 1);
}

TEST(TunerEpochs, ALengthThatIsNotKnownIsSaid) {
  const auto report = tuned({.epoch = 100'000, .alone_ms = 9, .with_ms = 3, .length_known = false});
  EXPECT_EQ(report.clock.by, "steps");
  EXPECT_THAT(report.notes,
              testing::Contains(testing::HasSubstr("how long an epoch is could not be seen")));
}

TEST(TunerEpochs, TrialsHoldWholeEpochsWhereTheseAreShort) {
  base::FakeClock clock;
  EpochProgram program(clock, {.epoch = 30, .alone_ms = 40, .with_ms = 40});
  Quiet listener;
  ASSERT_TRUE(tune(program, {}, clock, listener));
  EXPECT_GE(program.lengths.at(1), 6 * 30U);
  EpochProgram of_long(clock, {.epoch = 5000, .alone_ms = 40, .with_ms = 40});
  ASSERT_TRUE(tune(of_long, {}, clock, listener));
  EXPECT_LT(of_long.lengths.at(1), 100U);
}

}  // namespace
}  // namespace flatout::apply::epochs
