// The loop with a program whose steps take alpha + beta * size and whose memory grows
// with its batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "apply/journal.h"
#include "apply/made_up_program_fixture.h"
#include "apply/tuner.h"

namespace flatout::apply {
namespace {

class BatchProgram final : public TrialRunner {
 public:
  explicit BatchProgram(base::FakeClock& clock) : clock_(clock) {}

  base::Result<TrialResult> run(const TrialSpec& spec) override {
    specs.push_back(spec);
    const int size = number(spec.knobs, "batch.size", 16);
    TrialResult out;
    out.run = "run" + std::to_string(specs.size());
    out.memory.host_peak_bytes = 200'000'000 + 1'000'000LL * size;
    out.memory.host_data_bytes = 500'000'000;
    out.memory.host_limit_bytes = limit_bytes;
    out.batch_size = 16;
    out.dataset_samples = 100'000;
    if (spec.data_limit_bytes &&
        *out.memory.host_peak_bytes + extra_bytes > *spec.data_limit_bytes) {
      out.failure = "exit status 1 (MemoryError)";
      out.out_of_memory = true;
    }
    if (never_fits) {
      out.failure = "exit status 1 (torch.OutOfMemoryError)";
      out.out_of_memory = true;
    }
    for (const auto& setting : spec.knobs) {
      out.outcomes.push_back({.asked = setting,
                              .from = "16",
                              .applied = refusal.empty(),
                              .reason = refusal,
                              .effect = "learning rate x2 (square root rule, Adam)"});
    }
    if (accumulated > 0) out.report.model.emplace().accumulated = accumulated;
    if (out.failure.empty()) train(spec, refusal.empty() ? size : 16, out);
    if (advises_workers) advise(number(spec.knobs, "dataloader.num_workers", 0), out.report);
    clock_.advance(out.wall_ns = base::kSecond);
    return out;
  }
  bool interrupted() const override { return false; }

  std::int64_t limit_bytes = 64'000'000'000;
  std::int64_t extra_bytes = 0;  // that no line shows
  bool never_fits = false;
  std::uint64_t most_samples = 1'000'000'000;  // behind which the program ends
  int accumulated = 0;  // batches to an update, which joined ones make twice as fast; 0 = not told
  std::string refusal;
  double spoils = 0;       // what larger batches add to the loss
  double spoils_last = 0;  // the same, in the last comparison only
  bool advises_workers = false;
  std::vector<TrialSpec> specs;

 private:
  void train(const TrialSpec& spec, int size, TrialResult& out) {
    std::normal_distribution<double> normal(0, 1);
    std::mt19937 losses(static_cast<unsigned>(spec.seed_shift) +
                        100U * static_cast<unsigned>(size));
    const double between = std::exp(0.003 * normal(random_));
    const double more = size > 16 ? spoils + (spec.final ? spoils_last : 0) : 0;
    const double share = number(spec.knobs, "dataloader.num_workers", 0) > 0 ? 0.5 : 1;
    std::int64_t t_ns = 0;
    for (std::uint64_t i = 0; i < spec.steps && i < most_samples / static_cast<std::uint64_t>(size);
         ++i) {
      const bool joined = accumulated > 0 && !spec.knobs.empty();
      const double seconds = share * (joined ? 0.5 : 1) * (0.01 + 0.0005 * size) * between *
                             std::exp(0.02 * normal(random_));
      t_ns += static_cast<std::int64_t>(seconds * 1e9);
      out.steps.push_back({.end_ns = t_ns,
                           .own_ns = static_cast<std::int64_t>(seconds * 1e9),
                           .samples = static_cast<double>(size)});
      out.evidence.losses.push_back(1 + more + 0.1 / std::sqrt(size) * normal(losses));
      out.evidence.samples.push_back(size);
    }
  }

  static void advise(int workers, run::Report& report) {
    run::Finding finding;
    finding.id = "input_bound";
    finding.confidence = 0.9;
    if (workers == 0) finding.advice = {workers_advice(0, 2, 2)};
    report.findings.push_back(std::move(finding));
  }

  base::FakeClock& clock_;
  std::mt19937 random_{5};
};

// The trials of an earlier tune, told again: any other one is a failure.
class ToldAgain final : public TrialRunner {
 public:
  base::Result<TrialResult> run(const TrialSpec& spec) override {
    EXPECT_LT(told_, trials.size());
    const auto& [earlier, result] = trials.at(told_++);
    EXPECT_TRUE(same_trial(entry_of(earlier, result), spec)) << told_;
    return result;
  }
  bool interrupted() const override { return false; }
  std::vector<std::pair<TrialSpec, TrialResult>> trials;

 private:
  std::size_t told_ = 0;
};

class Remembering final : public TrialRunner {
 public:
  Remembering(TrialRunner& inner, ToldAgain& memory) : inner_(inner), memory_(memory) {}
  base::Result<TrialResult> run(const TrialSpec& spec) override {
    auto result = inner_.run(spec);
    memory_.trials.emplace_back(spec, result.value());
    return result;
  }
  bool interrupted() const override { return false; }

 private:
  TrialRunner& inner_;
  ToldAgain& memory_;
};

struct TunedBatch : testing::Test {
  base::FakeClock clock;
  BatchProgram program{clock};
  TuneOptions options;
  TunedBatch() { options.most_risk = run::Risk::kChangesTraining; }
  Silent listener;

  run::TuneReport tuned() {
    auto report = tune(program, options, clock, listener);
    EXPECT_TRUE(report.has_value());
    return report.value_or(run::TuneReport{});
  }
  static std::string skipped(const run::TuneReport& report) {
    for (const auto& row : report.skipped) {
      if (row.knob == "batch.size") return row.reason;
    }
    return "";
  }
  static std::string notes(const run::TuneReport& report) {
    std::string all;
    for (const auto& note : report.notes) all += note + "\n";
    return all;
  }
};

// 16 at 18 ms a step; the knee is at 384, of which 15 steps are made.
TEST_F(TunedBatch, WhereFewLargeBatchesAreMadeASmallerOneIsTried) {
  program.most_samples = 6000;
  const run::TuneReport report = tuned();
  ASSERT_EQ(report.trials.size(), 2U);
  EXPECT_NE(report.trials[0].reason.find("too few steady steps"), std::string::npos)
      << report.trials[0].reason;
  EXPECT_TRUE(report.trials[1].kept) << report.trials[1].reason;
  EXPECT_EQ(report.trials[1].to, "136") << "of 15 * 384 samples 41 steps are made";
}

TEST_F(TunedBatch, AProgramThatRunsOutOfMemoryMayFitInParts) {
  program.never_fits = true;
  const auto report = tune(program, options, clock, listener);
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().message.contains("batch.accumulate = 2")) << report.error().message;
}

TEST_F(TunedBatch, WhatAFrameworkAccumulatesIsJoinedAndHeldToItsLoss) {
  program.accumulated = 4;
  options.knobs = {"accumulate"};
  const auto report = tuned();
  ASSERT_FALSE(report.trials.empty());
  const auto& row = report.trials.front();
  EXPECT_EQ(row.to, R"("1/4")");
  EXPECT_TRUE(row.kept) << row.reason;
  EXPECT_EQ(row.loss_gate, run::LossGate::kPassed);
}

TEST_F(TunedBatch, TheKneeIsComparedHeldToItsLossAndKept) {
  const auto report = tuned();
  ASSERT_EQ(report.trials.size(), 1U);
  const auto& row = report.trials.front();
  EXPECT_EQ(row.knob, "batch.size");
  EXPECT_EQ(row.from, "16");
  EXPECT_NEAR(std::stoi(row.to), 380, 40) << "19 * 10 ms / 0.5 ms";
  EXPECT_TRUE(row.kept) << row.reason;
  EXPECT_EQ(row.loss_gate, run::LossGate::kPassed);
  ASSERT_TRUE(row.predicted && row.speedup);
  EXPECT_NEAR(row.predicted->ratio / row.speedup->ratio, 1, 0.05);
  ASSERT_TRUE(report.final);
  EXPECT_TRUE(report.final->confirmed);
  const std::string said = notes(report);
  EXPECT_NE(said.find("effective batch grows from 16 to " + row.to), std::string::npos) << said;
  EXPECT_NE(said.find("learning rate x2 (square root rule, Adam)"), std::string::npos) << said;
  EXPECT_NE(said.find("peak memory 200 MB + 1000.0 kB a sample (host"), std::string::npos) << said;
  EXPECT_EQ(skipped(report), "");
}

TEST_F(TunedBatch, OnlyWhereItIsAskedFor) {
  options.most_risk = run::Risk::kRounding;
  const auto report = tuned();
  EXPECT_TRUE(report.trials.empty());
  EXPECT_EQ(skipped(report), "its risk is above --risk");
  for (const auto& spec : program.specs) EXPECT_TRUE(spec.knobs.empty());
}

TEST_F(TunedBatch, ASizeThatSpoilsTheLossIsNotKept) {
  program.spoils = 0.5;
  const auto report = tuned();
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_FALSE(report.trials[0].kept);
  EXPECT_EQ(report.trials[0].loss_gate, run::LossGate::kFailed);
  EXPECT_TRUE(report.plan.entries.empty());
}

TEST_F(TunedBatch, FewStepsAreInconclusiveAndSayHowManyAreEnough) {
  options.steps = 60;
  const auto report = tuned();
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_EQ(report.trials[0].loss_gate, run::LossGate::kInconclusive);
  EXPECT_FALSE(report.trials[0].kept);
  EXPECT_NE(report.trials[0].reason.find("--steps"), std::string::npos);
}

TEST_F(TunedBatch, TheMaximumKeepsBelowTheLimitAndTrialsAreHeldToIt) {
  program.limit_bytes = 400'000'000;
  const auto report = tuned();
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_EQ(report.trials[0].to, "176") << "(400 MB - 5 % - 200 MB) / 1 MB, a multiple of 8";
  for (const auto& spec : program.specs) {
    if (!spec.data_limit_bytes) continue;
    EXPECT_EQ(*spec.data_limit_bytes, 400'000'000 + 500'000'000 - 216'000'000)
        << "and what is mapped but never touched";
  }
}

TEST_F(TunedBatch, ATrialThatRunsOutOfMemoryIsSaidAndNotTheEnd) {
  program.limit_bytes = 400'000'000;
  program.extra_bytes = 400'000'000;
  const auto report = tuned();
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_LT(std::stoi(report.trials[0].to), 120);
  EXPECT_NE(notes(report).find("does not fit: exit status 1 (MemoryError)"), std::string::npos);
}

TEST_F(TunedBatch, AKnobThatIsNotAppliedSaysWhy) {
  program.refusal = "the batch sampler Mine is the program's own";
  const auto report = tuned();
  EXPECT_TRUE(report.trials.empty());
  EXPECT_EQ(skipped(report), "not applied: the batch sampler Mine is the program's own");
}

TEST_F(TunedBatch, TheLastComparisonIsHeldToTheLossToo) {
  const auto good = tuned();
  ASSERT_TRUE(good.final);
  EXPECT_EQ(good.final->loss_gate, run::LossGate::kPassed) << good.final->loss_reason;
  for (const auto& spec : program.specs) {
    EXPECT_TRUE(!spec.final || spec.seed_shift == 0) << "the seeds of the baseline are known";
  }
  program.spoils_last = 0.5;
  const auto bad = tuned();
  ASSERT_TRUE(bad.final);
  EXPECT_EQ(bad.final->loss_gate, run::LossGate::kFailed);
  EXPECT_FALSE(bad.final->confirmed);
  EXPECT_TRUE(bad.plan.entries.empty());
}

TEST_F(TunedBatch, BesideOtherKnobsTheLastComparisonHasSeedsOfTheBaseline) {
  program.advises_workers = true;
  const auto report = tuned();
  ASSERT_EQ(report.trials.size(), 2U);
  EXPECT_TRUE(report.trials[0].kept && report.trials[1].kept) << report.trials[1].reason;
  std::vector<std::uint64_t> shifts;
  for (const auto& spec : program.specs) {
    if (spec.final && spec.knobs.empty()) shifts.push_back(spec.seed_shift);
  }
  EXPECT_EQ(shifts, (std::vector<std::uint64_t>{0, 0, 0, 1, 2})) << "two pairs, and three seeds";
  ASSERT_TRUE(report.final);
  EXPECT_EQ(report.final->loss_gate, run::LossGate::kPassed) << report.final->loss_reason;
}

// So --resume goes the same way: nothing but trials decides.
TEST_F(TunedBatch, ToldAgainItDecidesTheSame) {
  program.limit_bytes = 400'000'000;
  program.extra_bytes = 300'000'000;
  ToldAgain again;
  Remembering trials(program, again);
  const auto first = tune(trials, options, clock, listener);
  ASSERT_TRUE(first && first->final);
  base::FakeClock later;
  const auto second = tune(again, options, later, listener);
  ASSERT_TRUE(second);
  EXPECT_EQ(notes(*second), notes(*first));
  ASSERT_EQ(second->trials.size(), 1U);
  EXPECT_EQ(second->trials[0].to, first->trials[0].to);
  EXPECT_EQ(second->trials[0].reason, first->trials[0].reason);
  EXPECT_EQ(second->final->loss_reason, first->final->loss_reason);
}

TEST_F(TunedBatch, WithoutTimeItSaysSo) {
  options.budget_ns = 4 * base::kSecond;
  const auto report = tuned();
  EXPECT_TRUE(report.trials.empty());
  EXPECT_NE(skipped(report), "");
}

}  // namespace
}  // namespace flatout::apply
