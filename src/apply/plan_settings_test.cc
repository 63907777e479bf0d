#include "apply/plan_settings.h"

#include <gtest/gtest.h>

namespace flatout::apply {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Words = std::vector<std::string>;

run::Plan plan_of(const std::vector<run::KnobSetting>& settings) {
  run::Plan plan;
  for (const auto& setting : settings) {
    run::PlanEntry entry;
    entry.setting = setting;
    plan.entries.push_back(std::move(entry));
  }
  return plan;
}

const run::Plan kMixed = plan_of({{"user.workers", "4", "--workers={}"},
                                  {"dataloader.num_workers", "6"},
                                  {"program.depth", "8"},
                                  {"user.omp", "2", "env:OMP_NUM_THREADS={}"},
                                  {"program.batch", "-1"}});

TEST(PlanSettings, EachPartGetsWhatItSets) {
  EXPECT_EQ(hooks_json(kMixed), R"({"dataloader.num_workers":6})");
  EXPECT_EQ(plan_json(kMixed),
            R"({"user.workers":4,"dataloader.num_workers":6,"program.depth":8,"user.omp":2,)"
            R"("program.batch":-1})");
  EXPECT_EQ(plan_environment(kMixed),
            (Pairs{{"OMP_NUM_THREADS", "2"}, {"FLATOUT_KNOBS", "depth=8,batch=-1"}}));
  EXPECT_EQ(planned_command(kMixed, {"./train", "--workers=1", "x"}),
            (Words{"./train", "--workers=4", "x"}));
  EXPECT_EQ(hooks_json(plan_of({{"program.depth", "8"}})), "");
}

TEST(PlanSettings, OfTwoKnobsOnOneVariableTheLaterCounts) {
  const auto plan =
      plan_of({{"env.intraop_threads", "3"}, {"user.omp", "2", "env:OMP_NUM_THREADS={}"}});
  EXPECT_EQ(plan_environment(plan), (Pairs{{"MKL_NUM_THREADS", "3"}, {"OMP_NUM_THREADS", "2"}}));
}

TEST(PlanSettings, WhatCannotBeSetSetsNothing) {
  const auto plan = plan_of({{"program.depth", "\"deep\""}, {"no.such", "1"}, {"user.w", "3"}});
  EXPECT_EQ(plan_environment(plan), Pairs{});
  EXPECT_EQ(planned_command(plan, {"t"}), Words{"t"});
  EXPECT_TRUE(can_be_set({"program.depth", "1"}));
  EXPECT_TRUE(can_be_set({"user.w", "1", "-w{}"}));
  EXPECT_TRUE(can_be_set({"dataloader.num_workers", "1"}));
  EXPECT_FALSE(can_be_set({"user.w", "1", "-w"}));
  EXPECT_FALSE(can_be_set({"user.w", "1"}));
  EXPECT_EQ(why_unknown({"no.such", "1"}), "this version knows no such knob");
  EXPECT_EQ(why_unknown({"dataloader.num_worker", "1"}),
            "this version knows no such knob; did you mean dataloader.num_workers?");
}

}  // namespace
}  // namespace flatout::apply
