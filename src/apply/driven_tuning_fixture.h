// A tune of a made-up program that can be driven, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "apply/tuning_fixture.h"

namespace flatout::apply {

// A program whose blocks are as fast as its trials, unless told otherwise.
class DrivenMadeUp final : public TrialRunner {
 public:
  explicit DrivenMadeUp(base::FakeClock& clock)
      : clock_(clock), trials_(clock, [this](int workers, int) {
          return Behaviour{.samples_per_s = rate(workers)};
        }) {
    trials_.fetch_draws = false;
    trials_.start_workers = 1;
    trials_.start_up_ns = 12 * base::kSecond;
    trials_.advise = [](int workers, int) {
      return MadeUpProgram::Advice{workers_advice(workers, workers == 1 ? 4 : 1, 1.5)};
    };
  }

  base::Result<TrialResult> run(const TrialSpec& spec) override {
    EXPECT_EQ(alive_, 0) << "no trial beside a program that is driven";
    auto out = trials_.run(spec);
    if (out && epoch_steps > 0) {
      out->epochs.loader_steps = epoch_steps;
    }
    return out;
  }
  base::Result<std::unique_ptr<DrivenProgram>> drive(const std::vector<run::KnobSetting>& fixed,
                                                     base::DurationNs) override {
    if (!can_be_driven) return base::fail(base::ErrorCode::kUnavailable, "not here");
    ++starts;
    fixed_seen = fixed;
    clock_.advance(trials_.start_up_ns);
    return std::make_unique<Program>(*this);
  }
  // A trial whose program goes on.
  base::Result<Look> look(const TrialSpec& spec, base::DurationNs least_ns) override {
    looks.push_back(spec);
    auto out = run(spec);
    if (!out) return std::unexpected(out.error());
    if (cold > 1 && looks.size() == 1) slow_down(*out, cold);
    Look look{.trial = std::move(*out), .program = nullptr, .drove_on = drove_on};
    if (can_be_driven && goes_on && !drove_on && look.trial.failure.empty()) {
      look.program = std::make_unique<Program>(*this);
    }
    EXPECT_GE(least_ns, 0);
    return look;
  }
  bool interrupted() const override { return interrupted_now || trials_.interrupted(); }

  double rate(int workers) const { return workers == 4 ? usual * gain : usual; }

  double usual = 100;  // samples/s, 32 in a batch

  double gain = 1;
  double block_gain = 0;  // 0 = as its trials
  double block_noise = 0.02;
  double epoch_steps = 0;
  bool can_be_driven = true;
  bool takes_it = true;
  bool interrupted_now = false;
  BlockOutcome outcome = BlockOutcome::kMeasured;
  int no_gain_after = 0;  // blocks; 0 = always
  int slower_after = 0;   // blocks: then each takes ten seconds, with much noise; 0 = never
  int odd_block = 0;      // the number of the block that has `outcome`; 0 = none
  int starts = 0, blocks = 0;
  bool goes_on = true;    // after a look
  bool drove_on = false;  // looks are of an earlier tune
  double cold = 1;        // by so much the first look is slower
  std::vector<TrialSpec> looks;
  double harm = 0;           // that 4 workers do to the losses of runs from one state
  bool broken_runs = false;  // that are no runs at all
  int runs = 0;
  std::vector<run::KnobSetting> fixed_seen;
  MadeUpProgram& trials() { return trials_; }
  void seed(unsigned value) { random_.seed(value); }

 private:
  class Program final : public DrivenProgram {
   public:
    explicit Program(DrivenMadeUp& owner) : owner_(owner) { ++owner_.alive_; }
    ~Program() override { --owner_.alive_; }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    std::string run() const override { return "driven"; }
    BlockResult block(const BlockSpec& spec) override { return owner_.block(spec); }
    bool rest() override { return true; }
    base::Result<TrialResult> let_go(base::DurationNs) override { return recorded(); }
    base::Result<TrialResult> recorded() override {
      return base::fail(base::ErrorCode::kUnavailable, "the look has it");
    }

   private:
    DrivenMadeUp& owner_;
  };

  BlockResult block(const BlockSpec& spec) {
    if (++blocks == odd_block) {
      if (outcome == BlockOutcome::kInterrupted) interrupted_now = true;
      return {.outcome = outcome, .why = "as the test wants it"};
    }
    const int workers = number(spec.knobs, "dataloader.num_workers", 1);
    if (spec.training != TrainingRun::kNone) return run_from_state(spec, workers);
    double samples_per_s = rate(workers);
    if (block_gain > 0 && workers == 4) samples_per_s = usual * block_gain;
    if (no_gain_after > 0 && blocks > no_gain_after) samples_per_s = usual;
    const double step_s = 32 / samples_per_s *
                          std::exp((slower_after > 0 && blocks > slower_after ? 0.5 : block_noise) *
                                   normal_(random_));
    const bool slow = slower_after > 0 && blocks > slower_after;
    if (slow) clock_.advance(10 * base::kSecond);
    BlockResult out{.outcome = BlockOutcome::kMeasured};
    out.steps = std::max<std::uint64_t>(
        spec.steps, static_cast<std::uint64_t>(static_cast<double>(spec.least_ns) / 1e9 / step_s));
    out.block_ns = static_cast<std::int64_t>(static_cast<double>(out.steps) * step_s * 1e9);
    for (const auto& setting : spec.knobs) {
      out.outcomes.push_back(
          {.asked = setting, .from = "1", .applied = takes_it, .reason = takes_it ? "" : "no"});
    }
    clock_.advance(out.block_ns + static_cast<std::int64_t>(static_cast<double>(spec.settle_steps) *
                                                            step_s * 1e9));
    return out;
  }

  BlockResult run_from_state(const BlockSpec& spec, int workers) {
    ++runs;
    if (broken_runs) return {.outcome = BlockOutcome::kDisturbed, .why = "an epoch began"};
    BlockResult out{.outcome = BlockOutcome::kMeasured};
    out.steps = spec.steps;
    out.block_ns =
        static_cast<std::int64_t>(static_cast<double>(spec.steps) * 32e9 / rate(workers));
    for (std::uint64_t i = 0; i < spec.steps; ++i) {
      out.training.losses.push_back(1 + 0.05 * normal_(random_) + (workers == 4 ? harm : 0));
    }
    clock_.advance(out.block_ns);
    return out;
  }

  static void slow_down(TrialResult& trial, double factor) {
    std::int64_t t_ns = 0;
    for (auto& step : trial.steps) {
      step.own_ns = static_cast<std::int64_t>(static_cast<double>(step.own_ns) * factor);
      t_ns += step.own_ns;
      step.end_ns = t_ns;
    }
  }

  base::FakeClock& clock_;
  MadeUpProgram trials_;
  int alive_ = 0;
  std::mt19937 random_{5};
  std::normal_distribution<double> normal_{0, 1};
};

struct DrivenTuning {
  base::FakeClock clock;
  Quiet listener;
  TuneOptions options;
  DrivenMadeUp program{clock};
  run::TuneReport report;
  const run::TuneReport& go() {
    const auto found = tune(program, options, clock, listener);
    EXPECT_TRUE(found) << found.error().message;
    report = found.value_or(run::TuneReport{});
    return report;
  }
  // Trials under 4 workers, but for those of the last comparison.
  auto trials_of_candidate() {
    return std::ranges::count_if(program.trials().specs, [](const TrialSpec& spec) {
      return number(spec.knobs, "dataloader.num_workers", 1) == 4 && !spec.final;
    });
  }
};

}  // namespace flatout::apply
