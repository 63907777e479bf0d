// Knobs of the user in the whole loop, on a program that is made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "apply/made_up_program_fixture.h"
#include "apply/tuner.h"

namespace flatout::apply {
namespace {

using testing::Contains;
using testing::HasSubstr;

class OwnKnobListener final : public TuneListener {
 public:
  void trial_begins(const std::string& what, const std::optional<run::Speedup>&,
                    std::optional<base::DurationNs>) override {
    begun.push_back(what);
  }
  void planned(const TunePlan& plan) override { likely = plan.likely_trials; }
  void baseline(const run::TuneReport&) override {}
  void decided(const run::TuneTrial&) override {}
  std::vector<std::string> begun;
  int likely = 0;
};

// The rate follows one knob, which is no knob of flatout's.
class OwnKnobProgram final : public TrialRunner {
 public:
  OwnKnobProgram(base::FakeClock& clock, std::string knob, int own,
                 std::function<Behaviour(int)> behave)
      : behave_(std::move(behave)),
        knob_(std::move(knob)),
        own_(own),
        inner_(clock, [this](int, int) { return behave_(now_); }) {
    inner_.advise = nullptr;
    inner_.fetch_draws = false;
  }
  base::Result<TrialResult> run(const TrialSpec& spec) override {
    now_ = number(spec.knobs, knob_, own_);
    specs.push_back(spec);
    auto out = inner_.run(spec);
    if (out && shift_losses && now_ != own_) {
      for (double& loss : out->evidence.losses) loss += *shift_losses;
    }
    if (out) out->declared = declared;
    return out;
  }
  bool interrupted() const override { return inner_.interrupted(); }

  // So many trials with another value than its own have begun.
  int tries() const {
    return static_cast<int>(std::ranges::count_if(
        specs, [&](const TrialSpec& spec) { return number(spec.knobs, knob_, own_) != own_; }));
  }

  std::vector<TrialSpec> specs;
  std::vector<run::DeclaredKnob> declared;
  std::optional<double> shift_losses;
  MadeUpProgram& inner() { return inner_; }

 private:
  std::function<Behaviour(int)> behave_;
  std::string knob_;
  int own_;
  int now_ = 0;
  MadeUpProgram inner_;
};

struct OwnKnobTuning {
  base::FakeClock clock;
  OwnKnobListener listener;
  TuneOptions options;
  OwnKnobTuning(const std::string& knob, const std::string& from) {
    auto own = parse_user_knob(knob);
    EXPECT_TRUE(own);
    own->from = from;
    options.user_knobs = {*own};
  }
  run::TuneReport of(OwnKnobProgram& program) {
    const auto report = tune(program, options, clock, listener);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(run::TuneReport{});
  }
};

constexpr const char* kWorkers = "workers=--workers={0..12}";

TEST(OwnKnobs, AreScreenedComparedAndKept) {
  OwnKnobTuning tuning(kWorkers, "1");
  OwnKnobProgram program(tuning.clock, "user.workers", 1, [](int workers) {
    return Behaviour{.samples_per_s =
                         100.0 * std::min(workers, 6) - 20.0 * std::max(0, workers - 6)};
  });
  const auto report = tuning.of(program);
  ASSERT_EQ(report.trials.size(), 1U);
  const auto& row = report.trials[0];
  EXPECT_EQ(row.knob, "user.workers");
  EXPECT_EQ(row.from + ">" + row.to, "1>6");
  EXPECT_TRUE(row.kept) << row.reason;
  EXPECT_EQ(row.loss_gate, run::LossGate::kPassed);
  EXPECT_NEAR(row.speedup->ratio, 6, 0.3);
  ASSERT_EQ(report.plan.entries.size(), 1U);
  EXPECT_EQ(report.plan.entries[0].setting,
            (run::KnobSetting{"user.workers", "6", "--workers={}"}));
  EXPECT_TRUE(report.final && report.final->confirmed);
  // The screen's trials are named, and none of them is one of the comparison.
  ASSERT_THAT(report.notes, Contains(HasSubstr("workers was screened by single trials: 2 x2.")));
  for (const auto& id : row.runs) {
    EXPECT_THAT(report.notes[0], Not(HasSubstr("(" + id + ")")));
  }
  EXPECT_THAT(tuning.listener.begun, Contains("workers 1 -> 2, a first try"));
  EXPECT_GT(tuning.listener.likely, 0);
}

TEST(OwnKnobs, OfAFlatProgramNothingIsKeptAndTheRowSaysSo) {
  OwnKnobTuning tuning(kWorkers, "2");
  OwnKnobProgram program(tuning.clock, "user.workers", 2, [](int) { return Behaviour{}; });
  program.inner().noise = 0.001;
  const auto report = tuning.of(program);
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_FALSE(report.trials[0].kept);
  EXPECT_THAT(report.trials[0].reason, testing::AnyOf("no value was faster in a first trial",
                                                      "gains less than 1 %", "below the noise"));
  EXPECT_FALSE(report.trials[0].runs.empty());
  EXPECT_TRUE(report.plan.entries.empty());
}

// Others take most of the machine from the first try and little from the baseline before it.
TEST(OwnKnobs, AFirstTryThatOthersSlowedIsMadeAgain) {
  OwnKnobTuning tuning("level=--level={1,2}", "1");
  OwnKnobProgram* running = nullptr;
  OwnKnobProgram program(tuning.clock, "user.level", 1, [&](int level) {
    const bool first_try = level == 2 && running->tries() == 1;
    return Behaviour{.samples_per_s = (first_try ? 40.0 : 100.0) * (level == 2 ? 1.5 : 1)};
  });
  running = &program;
  program.inner().noise = 0.01;
  program.inner().outside = [] { return 0.5; };
  const auto report = tuning.of(program);
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
  EXPECT_THAT(tuning.listener.begun, Contains(HasSubstr("baseline, beside another try of level")));
}

// Others take four fifths of the machine, now a little more and now a little less.
run::TuneReport tuned_beside_others(unsigned seed, OwnKnobTuning& tuning) {
  for (const char* useless : {"useless=env:UNREAD={1,2}", "idle=env:UNREAD_TOO={1,2}"}) {
    auto knob = parse_user_knob(useless);
    EXPECT_TRUE(knob);
    tuning.options.user_knobs.insert(tuning.options.user_knobs.begin(), *knob);
  }
  tuning.options.budget_ns = 240 * base::kSecond;
  OwnKnobProgram program(tuning.clock, "user.level", 1,
                         [](int level) { return Behaviour{.samples_per_s = level * 4000.0}; });
  std::mt19937 random(seed);
  program.inner().draw_anew(seed);
  program.inner().noise = 0.1;
  program.inner().start_up_ns = 8 * base::kSecond;
  program.inner().outside = [&] {
    return std::uniform_real_distribution<double>(0.7, 0.9)(random);
  };
  program.inner().speed_left = [] { return 0.2; };
  return tuning.of(program);
}

TEST(OwnKnobs, InFourMinutesOnABusyMachineWhatIsClearComesBeforeWhatIsNot) {
  int kept = 0;
  int useless = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    OwnKnobTuning tuning("level=env:LEVEL={1,2}", "");
    const auto report = tuned_beside_others(seed, tuning);
    for (const auto& row : report.trials) {
      (row.knob == "user.level" ? kept : useless) += row.kept ? 1 : 0;
    }
  }
  EXPECT_GE(kept, 38);
  EXPECT_EQ(useless, 0);
}

TEST(OwnKnobs, WhatWaitsWhenTheTimeIsUpHasARowThatSaysSo) {
  int ended = 0;
  for (int seconds = 60; seconds < 140; seconds += 2) {
    OwnKnobTuning tuning("level=--level={1,2}", "1");
    auto idle = parse_user_knob("idle=--idle={1,2}");
    ASSERT_TRUE(idle);
    idle->from = "1";
    tuning.options.user_knobs.push_back(*idle);
    tuning.options.budget_ns = seconds * base::kSecond;
    OwnKnobProgram program(tuning.clock, "user.level", 1, [](int level) {
      return Behaviour{.samples_per_s = level == 2 ? 5000.0 : 4000.0};
    });
    program.inner().draw_anew(static_cast<unsigned>(seconds));
    program.inner().noise = 0.03;
    program.inner().start_up_ns = 8 * base::kSecond;
    program.inner().outside = [] { return 0.5; };
    const auto report = tuning.of(program);
    for (const auto& row : report.trials) {
      EXPECT_FALSE(row.reason.empty()) << row.knob;
      if (row.reason != "the budget was used up before its turn") continue;
      ended += row.runs.size() == 1;  // screened, not compared
      EXPECT_TRUE(report.budget_ended);
      EXPECT_THAT(report.notes, Contains(HasSubstr(" was screened by single trials: 2 ")));
    }
  }
  EXPECT_GT(ended, 0);
}

TEST(OwnKnobs, OnAQuietMachineAFirstTryIsEnough) {
  OwnKnobTuning tuning("level=--level={1,2}", "1");
  OwnKnobProgram program(tuning.clock, "user.level", 1, [](int level) {
    return Behaviour{.samples_per_s = level == 2 ? 60.0 : 100.0};
  });
  program.inner().noise = 0.001;
  const auto report = tuning.of(program);
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_EQ(report.trials[0].reason, "no value was faster in a first trial");
  EXPECT_EQ(report.trials[0].runs.size(), 1U);
}

// A comparison that is not made could keep nothing, and so leaves its share to others.
TEST(OwnKnobs, AScreenThatFindsNothingTakesNoShareOfTheErrorRate) {
  OwnKnobTuning tuning(kWorkers, "1");
  tuning.options.user_knobs.clear();
  for (int i = 0; i < 9; ++i) {  // more than there are shares
    auto idle = parse_user_knob("idle" + std::to_string(i) + "=--idle={1,2}");
    ASSERT_TRUE(idle);
    idle->from = "1";
    tuning.options.user_knobs.push_back(*idle);
  }
  auto last = parse_user_knob(kWorkers);
  ASSERT_TRUE(last);
  last->from = "1";
  tuning.options.user_knobs.push_back(*last);
  OwnKnobProgram program(tuning.clock, "user.workers", 1,
                         [](int workers) { return Behaviour{.samples_per_s = 100.0 * workers}; });
  program.inner().noise = 0.0005;
  const auto report = tuning.of(program);
  ASSERT_EQ(report.trials.size(), 10U);
  EXPECT_EQ(report.trials[0].reason, "no value was faster in a first trial");
  EXPECT_TRUE(report.trials[9].kept) << report.trials[9].reason;
  for (const auto& note : report.notes) EXPECT_THAT(note, Not(HasSubstr("used up")));
}

// Decision 18 has the figures of 500 tunes. Many screens pick by luck what comes to a comparison:
// that must not be kept for it.
TEST(OwnKnobs, OfManyUselessOnesNoneIsKeptMoreOftenThanTheErrorRate) {
  constexpr int kTunes = 40;
  for (const double noise : {0.01, 0.03}) {
    int kept = 0;
    std::size_t looked = 0;
    for (unsigned seed = 1; seed <= kTunes; ++seed) {
      OwnKnobTuning tuning("idle0=--idle0={1,2,3}", "1");
      tuning.options.steps = 40;
      for (int i = 1; i < 20; ++i) {
        auto idle = parse_user_knob("idle" + std::to_string(i) + "=--idle={1,2,3}");
        idle->from = "1";
        tuning.options.user_knobs.push_back(*idle);
      }
      OwnKnobProgram program(tuning.clock, "user.none", 1, [](int) { return Behaviour{}; });
      program.inner().noise = noise;
      program.inner().draw_anew(seed);
      const auto report = tuning.of(program);
      kept += std::ranges::any_of(report.trials, &run::TuneTrial::kept) ? 1 : 0;
      looked += static_cast<std::size_t>(std::ranges::count_if(
          report.trials, [](const auto& row) { return row.speedup.has_value(); }));
    }
    RecordProperty("kept at " + std::to_string(noise), kept);
    EXPECT_LE(kept, kTunes * 5 / 100) << noise;
    EXPECT_GT(looked, kTunes * 2U) << noise;  // else nothing is shown
  }
}

TEST(OwnKnobs, AValueThatFailsOrHangsIsPassedBy) {
  for (const char* failure : {"exit status 3", "hung: ended after 40 s"}) {
    OwnKnobTuning tuning(kWorkers, "1");
    OwnKnobProgram program(tuning.clock, "user.workers", 1, [&](int workers) {
      return Behaviour{.samples_per_s = 100.0 * workers, .failure = workers > 3 ? failure : ""};
    });
    const auto report = tuning.of(program);
    ASSERT_EQ(report.trials.size(), 1U);
    EXPECT_EQ(report.trials[0].to, "3");
    EXPECT_TRUE(report.trials[0].kept) << report.trials[0].reason;
    EXPECT_THAT(report.notes[0], HasSubstr(std::string("4 failed: ") + failure));
  }
  OwnKnobTuning tuning(kWorkers, "1");
  OwnKnobProgram program(tuning.clock, "user.workers", 1, [](int workers) {
    return Behaviour{.failure = workers != 1 ? "exit status 3" : ""};
  });
  const auto report = tuning.of(program);
  EXPECT_EQ(report.trials.at(0).reason, "failed: exit status 3");
}

TEST(OwnKnobs, ALossThatMovesFailsTheGate) {
  OwnKnobTuning tuning(kWorkers, "1");
  OwnKnobProgram program(tuning.clock, "user.workers", 1,
                         [](int workers) { return Behaviour{.samples_per_s = 100.0 * workers}; });
  program.shift_losses = 0.5;
  const auto report = tuning.of(program);
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_EQ(report.trials[0].loss_gate, run::LossGate::kFailed);
  EXPECT_FALSE(report.trials[0].kept);
  EXPECT_THAT(report.trials[0].reason, HasSubstr("the loss moves by 0.5"));
}

TEST(OwnKnobs, WithoutLossesTheyAreKeptAndANoteSaysHowToShowThem) {
  OwnKnobTuning tuning(kWorkers, "1");
  OwnKnobProgram program(tuning.clock, "user.workers", 1,
                         [](int workers) { return Behaviour{.samples_per_s = 100.0 * workers}; });
  program.inner().shows_losses = false;
  const auto report = tuning.of(program);
  EXPECT_TRUE(report.trials.at(0).kept);
  EXPECT_EQ(report.trials.at(0).loss_gate, run::LossGate::kNotNeeded);
  EXPECT_THAT(report.notes, Contains(HasSubstr("no losses were seen")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("--loss log:NAME")));
}

TEST(OwnKnobs, TheProgramDeclaresItsOwn) {
  OwnKnobTuning tuning("other=--other={1}", "1");
  OwnKnobProgram program(tuning.clock, "program.depth", 2,
                         [](int depth) { return Behaviour{.samples_per_s = 50.0 * depth}; });
  program.declared = {{"depth", 2, 1, 4}, {"other", 1, 0, 9}};
  const auto report = tuning.of(program);
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_EQ(report.trials[0].knob, "program.depth");
  EXPECT_EQ(report.trials[0].to, "4");
  ASSERT_EQ(report.plan.entries.size(), 1U);
  EXPECT_EQ(report.plan.entries[0].setting.pattern, "");
  // The one of the same name that the user gave stands for both.
  for (const auto& row : report.skipped) EXPECT_NE(row.knob, "program.other");
}

TEST(OwnKnobs, AreFilteredAndRiskyLikeOthers) {
  OwnKnobTuning named(kWorkers, "1");
  named.options.knobs = {"tf32"};
  OwnKnobProgram program(named.clock, "user.workers", 1,
                         [](int workers) { return Behaviour{.samples_per_s = 100.0 * workers}; });
  EXPECT_TRUE(named.of(program).trials.empty());
  OwnKnobTuning careful(kWorkers, "1");
  careful.options.most_risk = run::Risk::kSameMaths;
  EXPECT_TRUE(careful.of(program).trials.empty());
}

TEST(OwnKnobs, TheBudgetEndsAScreen) {
  OwnKnobTuning tuning("workers=--workers={0..900}", "1");
  tuning.options.budget_ns = 120 * base::kSecond;
  OwnKnobProgram program(tuning.clock, "user.workers", 1,
                         [](int workers) { return Behaviour{.samples_per_s = 100.0 + workers}; });
  const auto report = tuning.of(program);
  EXPECT_LT(report.seconds, 200);
}

}  // namespace
}  // namespace flatout::apply
