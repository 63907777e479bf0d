#include "apply/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "apply/statistics/blocks.h"
#include "apply/statistics/sequential.h"
#include "apply/tuning_fixture.h"

namespace flatout::apply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tuner, KeepsWhatHelpsAndConfirmsIt) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int workers, int) {
    return Behaviour{.samples_per_s = workers == 0 ? 100.0 : 250.0};
  });
  program.advise = [](int workers, int) {
    return workers == 0 ? MadeUpProgram::Advice{workers_advice(0, 4, 2.4)}
                        : MadeUpProgram::Advice{};
  };
  const auto report = tuning.of(program);
  EXPECT_EQ(report.id, "run1");
  EXPECT_NEAR(report.baseline.samples_per_s.value_or(0), 100, 3);
  EXPECT_THAT(report.baseline.runs, testing::SizeIs(2));
  ASSERT_EQ(report.trials.size(), 1U);
  const auto& row = report.trials[0];
  EXPECT_TRUE(row.kept);
  EXPECT_NEAR(row.speedup->ratio, 2.5, 0.1);
  EXPECT_LT(row.speedup->lo, row.speedup->ratio);
  EXPECT_EQ(row.from + row.to, "04");
  ASSERT_TRUE(report.final);
  EXPECT_TRUE(report.final->confirmed);
  std::vector<bool> as_is;  // of the final trials: each side is as often the first of its pair
  for (const auto& spec : program.specs) {
    if (spec.final) as_is.push_back(spec.knobs.empty());
  }
  EXPECT_THAT(as_is, testing::ElementsAre(true, false, false, true));
  EXPECT_NEAR(report.final->speedup->ratio, 2.5, 0.1);
  EXPECT_NEAR(report.prediction_error_median.value_or(1), 0.04, 0.03);
  ASSERT_EQ(report.plan.entries.size(), 1U);
  EXPECT_EQ(report.plan.entries[0].setting, (run::KnobSetting{"dataloader.num_workers", "4"}));
  EXPECT_EQ(tuning.listener.rows.size(), 1U);
  EXPECT_EQ(report.seconds, static_cast<double>(tuning.clock.monotonic()) / 1e9);
}

TEST(Tuner, AHealthyProgramKeepsNothingAndCostsTheBaselineOnly) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int, int) { return Behaviour{}; });
  const auto report = tuning.of(program);
  EXPECT_TRUE(report.trials.empty());
  EXPECT_TRUE(report.plan.entries.empty());
  EXPECT_FALSE(report.final);
  EXPECT_EQ(program.specs.size(), 3U);  // the first only reports how long a trial takes
  EXPECT_FALSE(report.skipped.empty());
  for (const auto& row : report.skipped) EXPECT_NE(row.reason, "") << row.knob;
}

TEST(Tuner, ABadPromiseIsDropped) {
  for (const double rate : {60.0, 100.0}) {
    Tuning tuning;
    MadeUpProgram program(tuning.clock, [&](int workers, int) {
      return Behaviour{.samples_per_s = workers == 0 ? 100.0 : rate};
    });
    program.advise = [](int, int) { return MadeUpProgram::Advice{workers_advice(0, 4, 2.4)}; };
    const auto report = tuning.of(program);
    ASSERT_EQ(report.trials.size(), 1U);
    EXPECT_FALSE(report.trials[0].kept);
    EXPECT_NE(report.trials[0].reason, "");
    EXPECT_TRUE(report.plan.entries.empty());
    EXPECT_FALSE(report.final);
    EXPECT_LE(program.specs.size(), 3U + 2 * kMostLooks);
  }
}

TEST(Tuner, ATrialThatFailsOrIsNotAppliedIsARowWithItsReason) {
  Tuning failing;
  MadeUpProgram hangs(failing.clock, [](int workers, int) {
    return Behaviour{.failure = workers > 0 ? "hung after 40 s" : ""};
  });
  hangs.advise = [](int, int) { return MadeUpProgram::Advice{workers_advice(0, 4, 2.4)}; };
  auto report = failing.of(hangs);
  ASSERT_EQ(report.trials.size(), 3U);  // and half as many, twice
  EXPECT_EQ(report.trials[0].reason, "failed: hung after 40 s");
  EXPECT_FALSE(report.trials[0].kept);
  EXPECT_FALSE(report.trials[0].speedup);
  EXPECT_THAT(report.trials[0].runs, ElementsAre("run4"));

  Tuning refused;
  MadeUpProgram refuses(refused.clock, [](int workers, int) {
    return Behaviour{.not_applied = workers > 0 ? "the dataset does not shard" : ""};
  });
  refuses.advise = hangs.advise;
  report = refused.of(refuses);
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_EQ(report.trials[0].reason, "not applied: the dataset does not shard");
  EXPECT_EQ(refuses.specs.size(), 4U);
}

TEST(Tuner, ABaselineThatFailsIsAnErrorThatNamesTheRun) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock,
                        [](int, int) { return Behaviour{.failure = "exit status 3"}; });
  const auto report = tune(program, tuning.options, tuning.clock, tuning.listener);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(report.error().message,
              testing::AllOf(HasSubstr("exit status 3"), HasSubstr("flatout report run1")));
}

TEST(Tuner, DiagnosesAgainAfterEachKeep) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int workers, int prefetch) {
    return Behaviour{.samples_per_s = 100.0 * (1 + workers) * (prefetch > 2 ? 1.3 : 1.0)};
  });
  program.advise = [](int workers, int prefetch) {
    if (workers < 3) return MadeUpProgram::Advice{workers_advice(workers, workers + 1, 1.5)};
    if (prefetch > 2) return MadeUpProgram::Advice{};
    return MadeUpProgram::Advice{advice("dataloader.prefetch_factor", "2", "4", 1.3)};
  };
  const auto report = tuning.of(program);
  std::vector<std::string> kept;
  for (const auto& row : report.trials) {
    if (row.kept) kept.push_back(row.knob + "=" + row.to);
  }
  EXPECT_THAT(kept, ElementsAre("dataloader.num_workers=1", "dataloader.num_workers=2",
                                "dataloader.num_workers=3", "dataloader.prefetch_factor=4"));
  // One entry a knob, with the gain over the program's own value.
  ASSERT_EQ(report.plan.entries.size(), 2U);
  EXPECT_EQ(report.plan.entries[0].from, "0");
  EXPECT_EQ(report.plan.entries[0].setting.value, "3");
  EXPECT_NEAR(report.plan.entries[0].measured->ratio, 4, 0.3);
  EXPECT_NEAR(report.final->speedup->ratio, 5.2, 0.3);
  // The last trials run under all of it.
  EXPECT_THAT(program.specs[program.specs.size() - 2].knobs, testing::SizeIs(2));
}

TEST(Tuner, WhatIsFasterAndHarmsTheLossIsReverted) {
  for (const bool draws : {false, true}) {
    Tuning tuning;
    MadeUpProgram program(tuning.clock, [](int workers, int) {
      Behaviour behaviour;
      behaviour.samples_per_s = workers == 0 ? 100.0 : 250.0;
      behaviour.loss = workers == 0 ? 1 : 2.5;
      return behaviour;
    });
    program.fetch_draws = draws;
    program.advise = [](int, int) { return MadeUpProgram::Advice{workers_advice(0, 4, 2.4)}; };
    const auto report = tuning.of(program);
    ASSERT_EQ(report.trials.size(), 1U);
    EXPECT_EQ(report.trials[0].loss_gate, run::LossGate::kFailed);
    EXPECT_FALSE(report.trials[0].kept);
    EXPECT_THAT(report.trials[0].reason, HasSubstr("loss"));
    EXPECT_TRUE(report.plan.entries.empty());
  }
}

// Each alone is harmless, both together are not: two draws of different knobs, say.
TEST(Tuner, WhatHarmsTheLossOnlyTogetherIsNotHandedOn) {
  for (const bool harm : {false, true}) {
    Tuning tuning;
    int trials_of_all = 0;
    MadeUpProgram program(tuning.clock, [&](int workers, int prefetch) {
      Behaviour behaviour;
      behaviour.samples_per_s = (workers > 0 ? 200.0 : 100.0) * (prefetch > 2 ? 1.5 : 1.0);
      // It shows in the last comparison only.
      if (workers > 0 && prefetch > 2 && ++trials_of_all > 1 && harm) behaviour.loss = 3;
      return behaviour;
    });
    program.advise = [](int workers, int prefetch) {
      if (workers == 0) return MadeUpProgram::Advice{workers_advice(0, 4, 2)};
      if (prefetch > 2) return MadeUpProgram::Advice{};
      return MadeUpProgram::Advice{advice("dataloader.prefetch_factor", "2", "4", 1.5)};
    };
    const auto report = tuning.of(program);
    ASSERT_TRUE(report.final);
    EXPECT_GT(report.final->speedup->lo, 2);
    EXPECT_EQ(report.final->loss_gate, harm ? run::LossGate::kFailed : run::LossGate::kPassed);
    EXPECT_EQ(report.final->confirmed, !harm);
    EXPECT_EQ(report.plan.entries.empty(), harm);
    if (harm) {
      EXPECT_THAT(report.notes, testing::Contains(HasSubstr("together fails the loss gate")));
    }
  }
}

TEST(Tuner, WhatPromisesNextToNothingComesLastAndOnlyWithTime) {
  for (const bool hurried : {false, true}) {
    Tuning tuning;
    tuning.options.budget_ns = (hurried ? 170 : 3000) * base::kSecond;
    MadeUpProgram program(tuning.clock, [](int workers, int) {
      return Behaviour{.samples_per_s = workers > 0 ? 110.0 : 100.0};
    });
    program.advise = [](int workers, int) {
      auto doubtful = advice("dataloader.prefetch_factor", "2", "4", 1.002);  // up to 1.05
      auto hopeless = advice("dataloader.persistent_workers", "false", "true", 1.0);
      hopeless.predicted->hi = 1.005;
      MadeUpProgram::Advice out = {doubtful, hopeless};
      if (workers == 0) out.push_back(workers_advice(0, 4, 1.1));
      return out;
    };
    const auto report = tuning.of(program);
    std::vector<std::string> tried;
    for (const auto& row : report.trials) tried.push_back(row.knob);
    std::map<std::string, std::string> why;
    for (const auto& row : report.skipped) why[row.knob] = row.reason;
    EXPECT_EQ(why["dataloader.persistent_workers"], "its best case is under 1 %");
    ASSERT_FALSE(tried.empty());
    EXPECT_EQ(tried[0], "dataloader.num_workers");
    if (hurried) {
      EXPECT_EQ(tried.size(), 1U);
      EXPECT_THAT(why["dataloader.prefetch_factor"], HasSubstr("the budget is too short"));
    } else {
      EXPECT_THAT(tried, ElementsAre("dataloader.num_workers", "dataloader.prefetch_factor"));
    }
  }
}
TEST(Tuner, OtherSeedsAreTriedOnceAndOnlyWhereDrawsChange) {
  for (const bool draws : {false, true}) {
    Tuning tuning;
    MadeUpProgram program(tuning.clock, [](int workers, int) {
      Behaviour behaviour;
      behaviour.samples_per_s = 100.0 * (1 + workers);
      return behaviour;
    });
    program.fetch_draws = draws;
    program.advise = [](int workers, int) {
      return workers < 2 ? MadeUpProgram::Advice{workers_advice(workers, workers + 1, 1.5)}
                         : MadeUpProgram::Advice{};
    };
    const auto report = tuning.of(program);
    ASSERT_EQ(report.trials.size(), 2U);
    for (const auto& row : report.trials) EXPECT_EQ(row.loss_gate, run::LossGate::kPassed);
    std::vector<std::uint64_t> shifts;
    for (const auto& spec : program.specs) {
      if (spec.seed_shift != 0) shifts.push_back(spec.seed_shift);
    }
    if (draws) {
      EXPECT_THAT(shifts, ElementsAre(1, 2));
    } else {
      EXPECT_TRUE(shifts.empty());
    }
  }
}

// Its fetches draw nothing, and still its losses are not the same bit by bit.
TEST(Tuner, AStreamThatWorkersDivideIsHeldToOtherSeeds) {
  for (const bool harm : {false, true}) {
    Tuning tuning;
    MadeUpProgram program(tuning.clock, [harm](int workers, int) {
      Behaviour behaviour;
      behaviour.samples_per_s = workers == 0 ? 100.0 : 250.0;
      if (harm && workers > 0) behaviour.loss = 2.5;
      return behaviour;
    });
    program.fetch_draws = false;
    program.stream = true;
    program.advise = [](int, int) { return MadeUpProgram::Advice{workers_advice(0, 4, 2.4)}; };
    const auto report = tuning.of(program);
    ASSERT_EQ(report.trials.size(), 1U);
    EXPECT_EQ(report.trials[0].kept, !harm) << report.trials[0].reason;
    EXPECT_EQ(report.trials[0].loss_gate, harm ? run::LossGate::kFailed : run::LossGate::kPassed);
    EXPECT_EQ(report.final && report.final->loss_gate == run::LossGate::kPassed, !harm);
  }
}

TEST(Tuner, WithoutALossOtherDrawsAreNotKept) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int workers, int) {
    Behaviour behaviour;
    behaviour.samples_per_s = workers == 0 ? 100.0 : 250.0;
    return behaviour;
  });
  program.shows_losses = false;
  program.advise = [](int, int) { return MadeUpProgram::Advice{workers_advice(0, 4, 2.4)}; };
  const auto report = tuning.of(program);
  ASSERT_EQ(report.trials.size(), 1U);
  EXPECT_EQ(report.trials[0].loss_gate, run::LossGate::kInconclusive);
  EXPECT_FALSE(report.trials[0].kept);
}

TEST(Tuner, SaysWhereTheFirstTrialDisagreesWithThoseThatFollow) {
  for (const bool cold : {true, false}) {
    Tuning tuning;
    int trial = 0;
    MadeUpProgram program(tuning.clock, [&](int, int) {
      return Behaviour{.samples_per_s = cold && trial++ == 0 ? 100.0 : 200.0};
    });
    const auto report = tuning.of(program);
    const bool said = std::ranges::any_of(report.notes, [](const std::string& note) {
      return note.starts_with("the first trial, which may have met cold caches");
    });
    EXPECT_EQ(said, cold);
  }
}

TEST(Tuner, SaysWhatTheFirstTrialFoundOfItsData) {
  const auto noted = [](const DataFiles& files) {
    Tuning tuning;
    int trial = 0;
    MadeUpProgram program(tuning.clock, [&](int, int) {
      return Behaviour{.samples_per_s = trial++ == 0 ? 100.0 : 200.0};
    });
    program.data_files = files;
    const auto report = tuning.of(program);
    EXPECT_EQ(report.file_cache->cold, files.cold);
    EXPECT_EQ(report.file_cache->set_bytes, files.set_bytes);
    return report.notes.empty() ? "" : report.notes.front();
  };
  EXPECT_THAT(noted({.files = 9, .set_bytes = 5, .room_bytes = 9}),
              HasSubstr("The set fits into memory"));
  EXPECT_THAT(noted({.files = 9}), HasSubstr("A set that does not fit into memory"));
  EXPECT_EQ(noted({.cold = true, .files = 9, .set_bytes = 10, .room_bytes = 9}), "");
}

TEST(Tuner, EndsWhenItsComparisonsAreUsedUp) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int workers, int) {
    Behaviour behaviour;
    behaviour.samples_per_s = 100 * std::pow(1.5, workers);
    return behaviour;
  });
  program.advise = [](int workers, int) {
    return MadeUpProgram::Advice{workers_advice(workers, workers + 1, 1.5)};
  };
  const auto report = tuning.of(program);
  EXPECT_EQ(report.trials.size(), 8U);
  for (const auto& row : report.trials) EXPECT_FALSE(row.runs.empty());
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("all 8 comparisons are used up")));
}

TEST(Tuner, AnInterruptBeforeTheBaselineIsAnError) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int, int) { return Behaviour{.failure = "died"}; });
  program.interrupt_after = 1;
  const auto report = tune(program, tuning.options, tuning.clock, tuning.listener);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("interrupted before"));
}

TEST(Tuner, AnInterruptLeavesWhatWasKeptSoFar) {
  for (std::size_t after = 3; after < 10; ++after) {
    Tuning tuning;
    MadeUpProgram program(tuning.clock, [](int workers, int) {
      return Behaviour{.samples_per_s = 100.0 * (1 + workers)};
    });
    program.interrupt_after = after;
    program.advise = [](int workers, int) {
      return MadeUpProgram::Advice{workers_advice(workers, workers + 1, 1.2)};
    };
    const auto report = tuning.of(program);
    EXPECT_TRUE(report.interrupted);
    EXPECT_LE(program.specs.size(), after);
    for (const auto& row : report.trials) EXPECT_NE(row.reason, "interrupted");
  }
}

TEST(Tuner, KnobsAndRiskAreTheUsersChoice) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int workers, int) {
    return Behaviour{.samples_per_s = workers == 0 ? 100.0 : 250.0};
  });
  program.advise = [](int, int) {
    return MadeUpProgram::Advice{workers_advice(0, 4, 2.4),
                                 advice("torch.num_threads", "8", "1", 1.1)};
  };
  tuning.options.knobs = {"prefetch_factor", "env.intraop_threads"};
  tuning.options.most_risk = run::Risk::kSameMaths;
  const auto report = tuning.of(program);
  EXPECT_TRUE(report.trials.empty());
  std::map<std::string, std::string> why;
  for (const auto& row : report.skipped) why[row.knob] = row.reason;
  EXPECT_EQ(why["dataloader.num_workers"], "not among --knobs");
  EXPECT_EQ(why["env.intraop_threads"], "its risk is above --risk");
}

TEST(Tuner, TrialsAreLongEnoughToCompare) {
  Tuning tuning;
  MadeUpProgram quick(tuning.clock, [](int, int) { return Behaviour{.samples_per_s = 32'000}; });
  EXPECT_EQ(tuning.of(quick).steps, 2000U);  // of 1 ms
  Tuning slow_tuning;
  MadeUpProgram slow(slow_tuning.clock, [](int, int) { return Behaviour{.samples_per_s = 10}; });
  EXPECT_EQ(slow_tuning.of(slow).steps, 24U);  // of 3 s, all alike
  EXPECT_LT(slow_tuning.clock.monotonic(), (41 + 2 * 25) * 33 * base::kSecond / 10);
  Tuning asked;
  asked.options.steps = 64;
  MadeUpProgram any(asked.clock, [](int, int) { return Behaviour{}; });
  EXPECT_EQ(asked.of(any).steps, 64U);
  for (const auto& spec : any.specs) EXPECT_EQ(spec.steps, 65U);  // the last is cut off
}

}  // namespace
}  // namespace flatout::apply
