// Tunes on a machine that others use, too: the truth is known.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "apply/tuner_loop.h"
#include "apply/tuning_fixture.h"

namespace flatout::apply {
namespace {

using Shape = std::function<double(std::mt19937&, int trial)>;

double quiet(std::mt19937&, int) { return 0; }
double always_half(std::mt19937&, int) { return 0.5; }
double bursts(std::mt19937& random, int) { return random() % 4 == 0 ? 0.5 : 0; }
double spells(std::mt19937&, int trial) { return trial / 5 % 2 == 0 ? 0.4 : 0; }
double never_quiet(std::mt19937& random, int) {
  return std::uniform_real_distribution<double>(0, 0.9)(random);
}

struct Outcome {
  run::TuneReport report;
  base::DurationNs took_ns = 0, waited_ns = 0;
  std::size_t trials = 0;
};

// `gain`: by number of workers, asked once a trial.
Outcome tuned(unsigned seed, const Shape& shape, const std::function<double(int)>& gain,
              base::DurationNs budget_ns = 0) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [&](int workers, int) {
    return Behaviour{.samples_per_s = 100 * gain(workers)};
  });
  std::mt19937 random(seed);
  int trial = 0;
  program.draw_anew(seed);
  program.fetch_draws = false;
  program.noise = 0.01;
  program.outside = [&] { return shape(random, trial++); };
  program.advise = [](int workers, int) {
    return workers == 0 ? MadeUpProgram::Advice{workers_advice(0, 4, 1.5)}
                        : MadeUpProgram::Advice{};
  };
  if (budget_ns > 0) tuning.options.budget_ns = budget_ns;
  const base::TimeNs began = tuning.clock.monotonic();
  Outcome out;
  out.report = tuning.of(program);
  out.took_ns = tuning.clock.monotonic() - began;
  out.waited_ns = program.waited_ns;
  out.trials = program.specs.size();
  return out;
}

Outcome tuned(unsigned seed, const Shape& shape, double gain, base::DurationNs budget_ns = 0) {
  return tuned(seed, shape, [gain](int workers) { return workers == 0 ? 1 : gain; }, budget_ns);
}

int kept(const Shape& shape, double gain, unsigned rounds) {
  int count = 0;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    count += !tuned(seed, shape, gain).report.plan.entries.empty();
  }
  return count;
}

TEST(TunerNoise, WhatOthersTakeKeepsNothingThatGainsNothing) {
  for (const Shape& shape :
       {Shape(quiet), Shape(always_half), Shape(bursts), Shape(spells), Shape(never_quiet)}) {
    EXPECT_LE(kept(shape, 1.0, 100), 3);  // 5 % over eight comparisons, of which this is one
  }
}

TEST(TunerNoise, AGainIsFoundBetweenBursts) {
  EXPECT_EQ(kept(quiet, 1.5, 20), 20);
  EXPECT_EQ(kept(always_half, 1.5, 20), 20);
  EXPECT_GE(kept(bursts, 1.5, 40), 37);
  EXPECT_GE(kept(spells, 1.5, 40), 29);  // they last as long as a comparison
}

TEST(TunerNoise, APairThatWasTouchedIsMadeAgainOnceItIsQuiet) {
  const auto outcome = tuned(1, [](std::mt19937&, int trial) { return trial == 3 ? 0.5 : 0; }, 1.5);
  ASSERT_EQ(outcome.report.trials.size(), 1U);
  EXPECT_TRUE(outcome.report.trials[0].kept);
  EXPECT_NEAR(outcome.report.trials[0].speedup->ratio, 1.5, 0.06)
      << "the touched one does not count";
  EXPECT_GT(outcome.waited_ns, 0);
  ASSERT_FALSE(outcome.report.notes.empty());
  EXPECT_EQ(outcome.report.notes.back(),
            "others used this machine during the trials: 1 pair of trials was made again");
  EXPECT_EQ(tuned(1, quiet, 1.5).waited_ns, 0);
}

TEST(TunerNoise, WhereOthersStayNoPairIsMadeAgainAfterTheFirst) {
  // More and less of it in turns, and never none: each pair is touched.
  const Shape stays = [](std::mt19937&, int trial) { return trial % 2 == 0 ? 0.7 : 0.85; };
  const auto outcome = tuned(1, stays, 1.02);
  ASSERT_FALSE(outcome.report.notes.empty());
  EXPECT_THAT(outcome.report.notes,
              testing::Contains(testing::HasSubstr("1 pair of trials was made again, and ")));
  // Once they went, the next touched pair is made again.
  const Shape goes = [](std::mt19937&, int trial) {
    return trial < 6 ? (trial % 2 == 0 ? 0.7 : 0.85) : trial == 8 ? 0.5 : 0;
  };
  EXPECT_THAT(tuned(1, goes, 1.02).report.notes,
              testing::Contains(testing::HasSubstr(" pairs of trials were made again")));
}

enum class Hangs { kBoth, kAsItIs, kPlan };

// `failures`: so many trials of that side of the final comparison hang.
run::TuneReport tuned_with_a_hang(double outside, int failures, Hangs side = Hangs::kBoth) {
  Tuning tuning;
  MadeUpProgram* running = nullptr;
  MadeUpProgram program(tuning.clock, [&](int workers, int) {
    Behaviour out{.samples_per_s = workers == 0 ? 100.0 : 300.0};
    const bool hangs = side == Hangs::kBoth || (side == Hangs::kAsItIs) == (workers == 0);
    if (running->specs.back().final && hangs && failures-- > 0) {
      out.failure = "hung: ended after 48 s";
    }
    return out;
  });
  running = &program;
  program.outside = [=] { return outside; };
  program.advise = [](int workers, int) {
    return workers == 0 ? MadeUpProgram::Advice{workers_advice(0, 4, 2)} : MadeUpProgram::Advice{};
  };
  return tuning.of(program);
}

TEST(TunerNoise, AFinalTrialThatFailsBesideOthersIsMadeAgainOnce) {
  const auto once = tuned_with_a_hang(0.6, 1);
  EXPECT_EQ(once.plan.entries.size(), 1U);
  EXPECT_TRUE(once.final && once.final->confirmed);
  EXPECT_THAT(once.notes, testing::Contains(testing::HasSubstr("pair was made again: hung")));
  EXPECT_TRUE(tuned_with_a_hang(0.6, 1, Hangs::kPlan).final->confirmed);
  EXPECT_TRUE(tuned_with_a_hang(0.6, 4).plan.entries.empty());
  EXPECT_TRUE(tuned_with_a_hang(0.6, 2, Hangs::kPlan).plan.entries.empty());
  EXPECT_TRUE(tuned_with_a_hang(0, 1, Hangs::kPlan).plan.entries.empty())
      << "nobody else can be to blame";
}

// That says nothing against the plan, whose settings were proved one by one.
TEST(TunerNoise, WhatWasProvedStandsWhereTheProgramAsItIsHangsInTheFinalComparison) {
  for (const auto& report :
       {tuned_with_a_hang(0.6, 2, Hangs::kAsItIs), tuned_with_a_hang(0, 1, Hangs::kAsItIs)}) {
    EXPECT_EQ(report.plan.entries.size(), 1U);
    EXPECT_TRUE(report.final && !report.final->confirmed && report.final->out_of_time);
  }
}

TEST(TunerNoise, AMachineThatIsNeverQuietEndsInTimeAndSaysHowLittleItShows) {
  int noisy = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const base::DurationNs budget_ns = 600 * base::kSecond;
    const auto outcome = tuned(seed, never_quiet, 1.1, budget_ns);
    // The last pair of the final comparison may begin just before the end.
    EXPECT_LE(outcome.took_ns, budget_ns + budget_ns / 4);
    for (const auto& row : outcome.report.trials) {
      const bool looked = row.reason != "the budget ended before it was known";
      EXPECT_EQ(row.speedup.has_value(), looked) << row.reason;
      noisy += row.reason == "the machine is too noisy to tell";
    }
    const auto& final = outcome.report.final;
    EXPECT_TRUE(!final || final->speedup);
  }
  EXPECT_GT(noisy, 0);
}

// The final comparison has as many pairs as the others, where the load stays.
TEST(TunerNoise, ALargeGainIsConfirmedBesideOthersThatStay) {
  int confirmed = 0;
  int plans = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto report = tuned(seed, never_quiet, 4.0).report;
    plans += !report.plan.entries.empty();
    confirmed += report.final && report.final->confirmed;
  }
  EXPECT_GE(plans, 39);
  EXPECT_EQ(confirmed, plans) << "with four pairs it was 36 of 40";
}

// Others come when the search is over, so that the final comparison shows nothing.
Shape only_behind(std::size_t trials) {
  return [trials](std::mt19937& random, int trial) {
    return static_cast<std::size_t>(trial) < trials ? 0 : never_quiet(random, trial);
  };
}

TEST(TunerNoise, WhatWasProvedStandsWhereOthersKeepTheFinalComparisonFromTelling) {
  int noisy = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::size_t searching = tuned(seed, quiet, 1.5).trials - 2 * kConfirmPairs;
    const auto outcome = tuned(seed, only_behind(searching), 1.5);
    const auto& final = outcome.report.final;
    ASSERT_TRUE(final);
    EXPECT_EQ(outcome.report.plan.entries.size(), 1U) << "seed " << seed;
    if (final->confirmed) continue;
    EXPECT_TRUE(final->too_noisy);
    const std::string& note = outcome.report.notes.back();
    EXPECT_EQ(note.rfind("the machine was too noisy for the final comparison to tell: the plan "
                         "rests on the comparisons that kept its settings, x1.",
                         0),
              0U)
        << note;
    ++noisy;
  }
  EXPECT_GT(noisy, 5);
}

TEST(TunerNoise, AFinalComparisonThatContradictsKeepsNothingHoweverNoisy) {
  int against = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::size_t searching = tuned(seed, quiet, 1.5).trials - 2 * kConfirmPairs;
    std::size_t trial = 0;
    const auto outcome = tuned(seed, only_behind(searching), [&](int workers) {
      const double gain = trial++ < searching ? 1.5 : 0.02;
      return workers == 0 ? 1 : gain;
    });
    EXPECT_TRUE(outcome.report.plan.entries.empty()) << "seed " << seed;
    against += !outcome.report.trials.empty() && outcome.report.trials[0].kept;
  }
  EXPECT_EQ(against, 20);
}

TEST(TunerNoise, HowFarOthersCanHaveSlowedATrial) {
  EXPECT_EQ(log_slowdown({}), 0);
  EXPECT_NEAR(log_slowdown({.cpu_share = 0.5, .device_share = 0.2, .throttled = {}}), std::log(2),
              1e-9);
  EXPECT_TRUE(std::isfinite(log_slowdown({.cpu_share = 1, .device_share = {}, .throttled = {}})));
  EXPECT_FALSE(touched({.cpu_share = 0.5, .device_share = {}, .throttled = {}},
                       {.cpu_share = 0.52, .device_share = {}, .throttled = {}}));
  EXPECT_TRUE(touched({}, {.cpu_share = {}, .device_share = {}, .throttled = 0.2}));
}

}  // namespace
}  // namespace flatout::apply
