#include "apply/search/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apply/time_text.h"

namespace flatout::apply {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = run::SearchSetting::Kind;

constexpr const char* kSomething = "[arguments]\nx = {values = [1]}\n";

TEST(Space, HoldsWhatTheTextSaysInItsOrder) {
  const auto space = parse_space(R"([search]
objective = "log:flatout.loss"
trials = 12
min_steps = 30
max_steps = 400
reduction = 4
seed = 9
budget = "30m"
[environment]
OMP_NUM_THREADS = {values = [1, 2]}
[arguments]
"--mode" = {values = ["fast", true, 0.5]}
"--lr" = {from = 1e-4, to = 1e-1, scale = "log"}
"--width" = {from = 16, to = 256, step = 16}
[knobs]
dataloader.num_workers = {from = 0, to = 4}
"dataloader.pin_memory" = {values = [true, false]}
)",
                                 "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(run::objective_name(space->objective), "log:flatout.loss");
  EXPECT_FALSE(space->objective.maximise);  // a loss
  EXPECT_EQ(space->trials, 12);
  EXPECT_THAT(space->steps, ElementsAre(30, 120));
  EXPECT_EQ(space->reduction, 4);
  EXPECT_EQ(space->seed, 9U);
  EXPECT_EQ(space->budget_ns, 1800 * base::kSecond);
  ASSERT_EQ(space->dimensions.size(), 6U);
  std::vector<std::string> names;
  for (const auto& dimension : space->dimensions) names.push_back(dimension.name);
  EXPECT_THAT(names, ElementsAre("OMP_NUM_THREADS", "--mode", "--lr", "--width",
                                 "dataloader.num_workers", "dataloader.pin_memory"));
  EXPECT_EQ(space->dimensions[0].kind, Kind::kEnvironment);
  EXPECT_THAT(space->dimensions[1].choices, ElementsAre("\"fast\"", "true", "0.5"));
  EXPECT_TRUE(space->dimensions[2].range.log);
  EXPECT_EQ(space->dimensions[3].range.step, 16);
  EXPECT_EQ(space->dimensions[4].kind, Kind::kKnob);
  EXPECT_EQ(space->dimensions[4].range.step, 1);
  EXPECT_EQ(count_points(*space), std::nullopt);
}

TEST(Space, WithoutASearchTableHasItsDefaults) {
  const auto space = parse_space(kSomething, "s");
  ASSERT_TRUE(space);
  EXPECT_TRUE(space->objective.maximise);
  EXPECT_EQ(run::objective_name(space->objective), "samples_per_s");
  EXPECT_THAT(space->steps, ElementsAre(20, 60, 180));
  EXPECT_EQ(space->trials, 32);
  EXPECT_FALSE(space->budget_ns);
}

struct Wrong {
  const char* text;
  const char* said;
};

TEST(Space, WhatIsWrongIsSaidWithItsLine) {
  const Wrong cases[] = {
      {"", "needs something to vary"},
      {"[search]\ntrails = 3\n", "line 2: [search] has no 'trails'"},
      {"[argument]\n", "a space has no 'argument'"},
      {"[arguments]\nx = 3\n", "line 2: x must say its values"},
      {"[arguments]\nx = {values = []}\n", "line 2: x: values is a list of 1 to 256"},
      {"[arguments]\nx = {values = [1, 1]}\n", "the value 1 is there twice"},
      {"[arguments]\nx = {values = [[1]]}\n", "a value is a number"},
      {"[arguments]\nx = {values = [1], from = 2}\n", "either values or from and to"},
      {"[arguments]\nx = {from = 2}\n", "to must be a number"},
      {"[arguments]\nx = {from = 2, to = 2}\n", "from must be less than to"},
      {"[knobs]\ndataloader.num_workers = {values = [2, \"four\"]}\n",
       "dataloader.num_workers = \"four\": its value must be a whole number from 0 to 1024"},
      {"[knobs]\ndataloader.num_workers = {from = 0, to = 2000}\n",
       "dataloader.num_workers = 2000: its value must be a whole number from 0 to 1024"},
      {"[knobs]\ndataloader.num_workers = {from = 0.5, to = 4}\n",
       "its value must be a whole number from 0 to 1024"},
      {"[knobs]\nprecision.bf16 = {values = [true, false]}\n", "its value must be true"},
      {"[arguments]\nx = {from = 0, to = 2, scale = \"log\"}\n", "begins above 0"},
      {"[arguments]\nx = {from = 1, to = 2, scale = \"cubic\"}\n", "\"log\" or \"linear\""},
      {"[arguments]\nx = {from = 1, to = 2, step = 0}\n", "step must be above 0"},
      {"[arguments]\nx = {from = 1, to = inf}\n", "to must be a number"},
      {"[arguments]\nx = {from = 1, to = 2, stop = 1}\n", "x has no 'stop'"},
      {"[arguments]\n\"a b\" = {values = [1]}\n", "'a b' is no name"},
      {"[environment]\n\"--x\" = {values = [1]}\n", "is no name of a variable"},
      {"[environment]\nFLATOUT_HOME = {values = [1]}\n", "flatout's own"},
      {"[search]\nobjective = \"speed\"\n", "line 2: objective is"},
      {"[search]\nobjective = \"log:\"\n", "line 2: objective is"},
      {"[search]\ndirection = \"up\"\n", "direction is"},
      {"[search]\nsteps = [20, 20]\n", "steps is a rising list"},
      {"[search]\nsteps = [2]\n", "steps is a rising list"},
      {"[search]\nsteps = [20]\nmin_steps = 20\n", "either steps"},
      {"[search]\nmin_steps = 200\nmax_steps = 100\n", "min_steps is greater"},
      {"[search]\ntrials = 0\n", "trials is a whole number from 1 to 10000"},
      {"[search]\nbudget = \"soon\"\n", "budget is a time"},
      {"search = 3\n", "search is a table: [search]"},
      {"[arguments]\nx = {\n", "line 2"},
      {"[[[", "s"},
      {"[arguments]\nx = {values = [\"\xc3\xa9\"]}\n", "line 2: a space is ASCII"},
  };
  for (const auto& [text, said] : cases) {
    const auto space = parse_space(text, "s");
    ASSERT_FALSE(space) << text;
    EXPECT_THAT(space.error().message, HasSubstr(said)) << text;
    EXPECT_THAT(space.error().message, ::testing::StartsWith("s"));
  }
  EXPECT_EQ(parse_space(std::string(kMaxSpaceBytes + 1, ' '), "s").error().code,
            base::ErrorCode::kTooLarge);
}

TEST(Space, TimesHaveAUnit) {
  EXPECT_EQ(parse_time("90s"), 90 * base::kSecond);
  EXPECT_EQ(parse_time("1.5h"), 5400 * base::kSecond);
  for (const char* text : {"", "10", "ten", "-3m", "0s", "1e9h", "3d"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace flatout::apply
