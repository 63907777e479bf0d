// A knob that makes the program hang or fail from some number on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "apply/tuning_fixture.h"

namespace flatout::apply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Each worker more is promised as much as the first.
class Eager final : public run::Predictor {
 public:
  std::optional<run::Speedup> loader(const run::LoaderSetting& to) const override {
    const double ratio = 1 + 0.5 * to.workers;
    return run::Speedup{ratio, ratio * 0.95, ratio * 1.05};
  }
  std::optional<run::Speedup> remove_share(double) const override { return std::nullopt; }
};

MadeUpProgram hanging_above(Tuning& tuning, int most, int advised) {
  MadeUpProgram program(tuning.clock, [most](int workers, int) {
    return Behaviour{.samples_per_s = 100.0 * (1 + workers),
                     .failure = workers > most ? "hung: ended after 30 s" : ""};
  });
  program.advise = [advised](int workers, int) {
    return MadeUpProgram::Advice{workers_advice(workers, advised, 3)};
  };
  program.predictor = std::make_shared<Eager>();
  program.fetch_draws = false;
  return program;
}

std::vector<std::string> tried(const run::TuneReport& report) {
  std::vector<std::string> out;
  for (const auto& row : report.trials) {
    if (row.knob == "dataloader.num_workers") out.push_back(row.to + (row.kept ? " kept" : ""));
  }
  return out;
}

TEST(TooManyWorkers, FewerAreTriedAndNeverAsManyAgain) {
  Tuning tuning;
  MadeUpProgram program = hanging_above(tuning, 3, 5);
  const auto report = tuning.of(program);
  EXPECT_THAT(tried(report), ElementsAre("5", "2 kept", "3 kept", "4"));
  EXPECT_THAT(report.trials[0].reason, HasSubstr("failed: hung"));
  ASSERT_EQ(report.plan.entries.size(), 1U);
  EXPECT_EQ(report.plan.entries[0].setting.value, "3");
  EXPECT_TRUE(report.final && report.final->confirmed);
}

// Whatever number it is, the most that works is found, and each number fails once at most.
TEST(TooManyWorkers, TheMostThatWorksIsFoundWhereverItLies) {
  for (int advised = 1; advised <= 16; ++advised) {
    for (int most = 0; most < advised; ++most) {
      Tuning tuning;
      MadeUpProgram program = hanging_above(tuning, most, advised);
      const auto report = tuning.of(program);
      int least_failed = advised + 1;
      for (const auto& row : report.trials) {
        if (row.knob != "dataloader.num_workers") continue;
        const int workers = std::stoi(row.to);
        EXPECT_LT(workers, least_failed) << advised << " advised, " << most << " work";
        if (workers > most) least_failed = workers;
      }
      const int found =
          report.plan.entries.empty() ? 0 : std::stoi(report.plan.entries[0].setting.value);
      EXPECT_EQ(found, most) << advised << " advised: " << testing::PrintToString(tried(report));
    }
  }
}

TEST(TooManyWorkers, WithoutAPredictionHalfIsTriedAllTheSame) {
  Tuning tuning;
  MadeUpProgram program = hanging_above(tuning, 3, 8);
  program.predictor = nullptr;
  EXPECT_THAT(tried(tuning.of(program)), ElementsAre("8", "4", "2 kept"));
}

TEST(TooManyWorkers, OfAKnobThatIsRefusedOrGainsNothingNoFewerAreTried) {
  for (const bool refused : {true, false}) {
    Tuning tuning;
    MadeUpProgram program(tuning.clock, [&](int, int) {
      return Behaviour{.not_applied = refused ? "the dataset holds a CUDA tensor" : ""};
    });
    program.noise = 0.001;
    program.advise = [](int workers, int) {
      return MadeUpProgram::Advice{workers_advice(workers, 8, 3)};
    };
    EXPECT_THAT(tried(tuning.of(program)), ElementsAre("8"));
  }
}

// An IterableDataset that does not divide its samples takes one worker, which is worth a trial.
TEST(TooManyWorkers, WhereTheNumberIsWhyItWasRefusedTheLargestThatIsNotIsTried) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int workers, int) {
    return Behaviour{.samples_per_s = workers == 0 ? 100.0 : 140.0,
                     .not_applied = workers > 1 ? "each would be drawn several times" : "",
                     .most = 1};
  });
  program.noise = 0.001;
  program.advise = [](int workers, int) {
    return MadeUpProgram::Advice{workers_advice(workers, 6, 3)};
  };
  program.predictor = std::make_shared<Eager>();
  program.fetch_draws = false;
  EXPECT_THAT(tried(tuning.of(program)), ElementsAre("6", "1 kept"));
}

// A comparison without a look could keep nothing: it leaves its share to others.
TEST(TooManyWorkers, AFailureSpendsNoShareOfTheErrorRate) {
  Tuning tuning;
  MadeUpProgram program = hanging_above(tuning, 8, 500);
  const auto report = tuning.of(program);
  EXPECT_GT(report.trials.size(), 8U) << testing::PrintToString(tried(report));
  ASSERT_FALSE(report.plan.entries.empty());
  EXPECT_EQ(report.plan.entries[0].setting.value, "8");
}

}  // namespace
}  // namespace flatout::apply
