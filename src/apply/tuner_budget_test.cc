// A tune that has little time: what it tries, and what it says of the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "apply/tuner.h"
#include "apply/tuning_fixture.h"

namespace flatout::apply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tuner, StaysWithinItsBudgetAndKeepsTimeToConfirm) {
  Tuning tuning;
  tuning.options.budget_ns = 200 * base::kSecond;
  MadeUpProgram program(tuning.clock, [](int workers, int) {
    return Behaviour{.samples_per_s = 100.0 * (1 + workers)};
  });
  program.advise = [](int workers, int) {
    return MadeUpProgram::Advice{workers_advice(workers, workers + 1, 1.2)};
  };
  const auto report = tuning.of(program);
  EXPECT_LE(report.seconds, 200);
  EXPECT_TRUE(report.final);
  EXPECT_FALSE(report.plan.entries.empty());
}

TEST(Tuner, SaysThatTheBudgetEndedAndWhatWouldHaveBeenNext) {
  for (const bool hurried : {true, false}) {
    Tuning tuning;
    tuning.options.budget_ns = (hurried ? 1 : 3000) * base::kSecond;
    MadeUpProgram program(tuning.clock, [](int workers, int) {
      return Behaviour{.samples_per_s = workers > 0 ? 200.0 : 100.0};
    });
    program.advise = [](int workers, int) {
      return workers > 0 ? MadeUpProgram::Advice{}
                         : MadeUpProgram::Advice{workers_advice(workers, 4, 2)};
    };
    const auto report = tuning.of(program);
    EXPECT_EQ(report.budget_ended, hurried);
    const bool named = std::ranges::any_of(report.skipped, [](const run::TuneTrial& row) {
      return row.knob == "dataloader.num_workers" &&
             row.reason == "the budget was used up before its turn";
    });
    EXPECT_EQ(named, hurried);
    EXPECT_EQ(report.trials.empty(), hurried);
  }
}

TEST(Tuner, NamesEachKnobThatTheBudgetDidNotReach) {
  Tuning tuning;
  tuning.options.budget_ns = base::kSecond;
  tuning.options.knobs = {"num_workers", "prefetch_factor", "intraop_threads"};
  MadeUpProgram program(tuning.clock, [](int, int) { return Behaviour{.samples_per_s = 100.0}; });
  program.advise = [](int, int) { return MadeUpProgram::Advice{workers_advice(0, 4, 2)}; };
  const auto report = tuning.of(program);
  EXPECT_TRUE(report.budget_ended);
  std::map<std::string, int> rows;
  std::map<std::string, std::string> why;
  for (const auto& row : report.skipped) {
    ++rows[row.knob];
    why[row.knob] = row.reason;
    EXPECT_EQ(rows[row.knob], 1) << row.knob << " is named once";
    EXPECT_NE(row.reason, "") << row.knob;
  }
  for (const Knob* knob : all_knobs()) {
    EXPECT_TRUE(rows.contains(std::string(knob->id))) << knob->id;
  }
  EXPECT_EQ(why["dataloader.num_workers"], "the budget was used up before its turn");
  EXPECT_EQ(why["env.intraop_threads"], "the budget was used up before its turn");
}

// Start-up of 30 s, 40 steps of 0.64 s: nearly a minute a trial, and three minutes.
TEST(Tuner, AShortBudgetTriesTheLargestPromiseBeforeItMeasuresItselfTwice) {
  for (const double gain : {1.5, 0.8}) {
    Tuning tuning;
    tuning.options.budget_ns = 300 * base::kSecond;
    MadeUpProgram program(tuning.clock, [&](int workers, int) {
      return Behaviour{.samples_per_s = workers > 0 ? 50 * gain : 50.0};
    });
    program.start_up_ns = 30 * base::kSecond;
    program.fetch_draws = false;
    program.advise = [](int workers, int) {
      return workers > 0 ? MadeUpProgram::Advice{}
                         : MadeUpProgram::Advice{workers_advice(workers, 4, 2)};
    };
    const auto report = tuning.of(program);
    ASSERT_EQ(report.trials.size(), 1U);
    EXPECT_EQ(report.trials[0].kept, gain > 1) << report.trials[0].reason;
    EXPECT_EQ(number(program.specs.at(2).knobs, "dataloader.num_workers", 0), 4);
    EXPECT_TRUE(gain < 1 || program.specs.at(3).knobs.empty()) << "then the second baseline";
    EXPECT_LE(report.seconds, 300);
    EXPECT_EQ(tuning.listener.needed_ns, 0) << "it is enough";
  }
}

// What was kept makes trials four times shorter: the rest of the budget holds more of them.
TEST(Tuner, PlansWithTrialsAsLongAsTheyAreByNow) {
  Tuning tuning;
  tuning.options.budget_ns = 700 * base::kSecond;
  MadeUpProgram program(tuning.clock, [&](int workers, int) {
    return Behaviour{.samples_per_s = workers > 0 ? 120.0 : 15.0};
  });
  program.fetch_draws = false;
  program.advise = [](int workers, int) {
    return MadeUpProgram::Advice{workers_advice(workers, workers == 0 ? 4 : workers + 1, 1.2)};
  };
  const auto report = tuning.of(program);
  EXPECT_LE(report.seconds, 700);
  EXPECT_TRUE(report.final) << "time for it was kept";
  EXPECT_TRUE(report.final && report.final->confirmed);
  EXPECT_GT(report.trials.size(), 1U) << "more than the first change was tried";
}

// What each comparison proved is handed on, also where the budget ended within the last one.
TEST(Tuner, AShortBudgetLosesNothingThatWasKept) {
  int kept = 0;
  int cut_short = 0;
  for (int budget_s = 120; budget_s <= 600; budget_s += 8) {
    Tuning tuning;
    tuning.options.budget_ns = budget_s * base::kSecond;
    MadeUpProgram program(tuning.clock, [&](int workers, int) {
      return Behaviour{.samples_per_s = workers > 0 ? 80.0 : 50.0};
    });
    program.start_up_ns = 10 * base::kSecond;
    program.noise = 0.08;
    program.fetch_draws = false;
    program.advise = [](int workers, int) {
      return workers > 0 ? MadeUpProgram::Advice{}
                         : MadeUpProgram::Advice{workers_advice(workers, 4, 1.6)};
    };
    const auto report = tuning.of(program);
    if (report.trials.empty() || !report.trials[0].kept) continue;
    ++kept;
    EXPECT_FALSE(report.plan.entries.empty()) << budget_s << " s";
    const bool noted = std::ranges::any_of(report.notes, [](const std::string& note) {
      return note.starts_with("the budget ended before the final");
    });
    EXPECT_EQ(report.final && report.final->out_of_time, noted) << budget_s << " s";
    cut_short += noted ? 1 : 0;
  }
  EXPECT_GT(kept, 20);
  EXPECT_GT(cut_short, 0) << "no budget was short enough to test it";
}

TEST(Tuner, ABudgetThatHoldsNoComparisonIsSaidAfterTheFirstTrial) {
  Tuning tuning;
  tuning.options.budget_ns = 100 * base::kSecond;
  MadeUpProgram program(tuning.clock, [](int, int) { return Behaviour{.samples_per_s = 50}; });
  program.start_up_ns = 30 * base::kSecond;
  (void)tuning.of(program);
  const auto& said = tuning.listener;
  EXPECT_EQ(said.begun_when_too_short, 1U);
  EXPECT_NEAR(static_cast<double>(said.needed_ns) / 1e9, 57 + 5 * 47, 8);
}

}  // namespace
}  // namespace flatout::apply
