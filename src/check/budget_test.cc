#include "check/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/quantity_of_text.h"

namespace flatout::check {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

base::Result<Budget> parsed(const std::string& text) {
  return parse_budget(text, "budget.toml", {"input_bound", "host_bound"});
}

std::string refused(const std::string& text) {
  const auto budget = parsed(text);
  return budget ? "taken" : budget.error().message;
}

TEST(Budget, HasAllThatTheFileSays) {
  const auto budget = parsed(R"([limits]
device.busy = {min = "85 %"}
step.median_ms = {max = 120, min = 1, optional = true}
device.memory_bytes = {max = "70 GB"}
[values]
"train/loss" = {max = 0.3}
val.acc = {min = 0.5}
[run]
states = ["finished", "failed"]
no_findings = ["input_bound"]
[baseline]
step.mean_ms = {worse_by = "5 %"}
phase.data_wait = {worse_by = 0.02, strict = true}
refuse = ["other_machine"]
)");
  ASSERT_TRUE(budget) << budget.error().message;
  ASSERT_EQ(budget->limits.size(), 5U);
  EXPECT_EQ(budget->limits[0].id, "limits.device.busy");
  EXPECT_DOUBLE_EQ(*budget->limits[0].least, 0.85);
  EXPECT_FALSE(budget->limits[0].most);
  EXPECT_TRUE(budget->limits[1].optional);
  EXPECT_DOUBLE_EQ(*budget->limits[2].most, 70e9);
  EXPECT_EQ(budget->limits[3].figure, "value.train/loss");
  EXPECT_EQ(budget->limits[4].figure, "value.val.acc");
  EXPECT_THAT(budget->states, ElementsAre("finished", "failed"));
  EXPECT_THAT(budget->no_findings, ElementsAre("input_bound"));
  ASSERT_EQ(budget->baseline.size(), 2U);
  EXPECT_DOUBLE_EQ(budget->baseline[0].worse_by, 0.05);
  EXPECT_FALSE(budget->baseline[0].strict);
  EXPECT_TRUE(budget->baseline[1].strict);
  EXPECT_THAT(budget->refuse, ElementsAre("other_machine"));
}

TEST(Budget, NamesLineAndNearestOfWhatItDoesNotKnow) {
  EXPECT_EQ(refused("[limits]\n\nstep.meadian_ms = {max = 1}"),
            "budget.toml, line 3: 'step.meadian_ms' is no figure; did you mean step.median_ms?");
  EXPECT_EQ(refused("[limit]\nstep.median_ms = {max = 1}"),
            "budget.toml, line 1: a budget has no 'limit'; did you mean limits?");
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {maximum = 1}"),
              HasSubstr("line 2: 'step.median_ms' has no 'maximum'; it takes min, max, optional"));
  EXPECT_THAT(refused("[run]\nno_findings = [\n\"input_bond\"]"),
              HasSubstr("line 3: no_findings has no 'input_bond'; did you mean input_bound?"));
  EXPECT_THAT(refused("[run]\nstates = [\"finisched\"]"), HasSubstr("did you mean finished?"));
  EXPECT_THAT(refused("[baseline]\nrefuse = [\"other_machin\"]"),
              HasSubstr("did you mean other_machine?"));
  EXPECT_THAT(refused("[limits]\nquark = {max = 1}"), HasSubstr("there are step.median_ms, "));
}

TEST(Budget, SaysWhatIsWantedInstead) {
  EXPECT_THAT(refused(""), HasSubstr("a budget needs a limit"));
  EXPECT_THAT(refused("[limits]\n"), HasSubstr("a budget needs a limit"));
  EXPECT_THAT(refused("limits = 3"), HasSubstr("limits is a table: [limits]"));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = 3"), HasSubstr("must be a limit: {max = 0.1}"));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {}"), HasSubstr("needs a limit"));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {optional = true}"), HasSubstr("needs a limit"));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {max = \"3 GB\"}"),
              HasSubstr("max must be a number, such as 120 or \"120 ms\""));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {max = inf}"), HasSubstr("must be a number"));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {max = true}"), HasSubstr("must be a number"));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {min = 3, max = 2}"),
              HasSubstr("min is above max"));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {max = 3, optional = 1}"),
              HasSubstr("optional is true or false"));
  EXPECT_THAT(refused("[run]\nstates = \"finished\""), HasSubstr("states is a list"));
  EXPECT_THAT(refused("[baseline]\ndevice.busy = {worse_by = 0.1}"),
              HasSubstr("has no interval, so it cannot be held against a baseline"));
  EXPECT_THAT(refused("[baseline]\nstep.mean_ms = {strict = true}"),
              HasSubstr("{worse_by = \"5 %\"}"));
  EXPECT_THAT(refused("[baseline]\n\nstep.mean_ms = {worse_by = -1}"),
              HasSubstr("line 3: 'step.mean_ms' needs how much worse it may be"));
  EXPECT_THAT(refused("[baseline]\nstep.mean_ms = 3"), HasSubstr("must be a limit"));
  EXPECT_THAT(refused("[limits.step]\nmedian_ms.max = 3\nmax = 2"), HasSubstr("line 3: 'step'"));
  EXPECT_THAT(refused("[limits]\nstep.median_ms = {max = 1}\nstep.median_ms = {max = 2}"),
              HasSubstr("line 3"));
  EXPECT_THAT(refused("[[[ nonsense"), HasSubstr("budget.toml"));
  EXPECT_THAT(refused("[values]\n\xC3\xA9 = {max = 1}"), HasSubstr("line 2: a budget is ASCII"));
  EXPECT_THAT(refused(std::string(kMaxBudgetBytes + 1, '#')), HasSubstr("64 KiB"));
}

TEST(Budget, NamesInMessagesStayOneHarmlessLine) {
  const std::string message = refused("[values]\n\"a\\u001b[2J\\n\" = 3");
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Quantity, IsANumberAndAUnitOfTheFigure) {
  EXPECT_DOUBLE_EQ(quantity_of("70 GB", "bytes").value(), 70e9);
  EXPECT_DOUBLE_EQ(quantity_of("2GiB", "bytes").value(), 2147483648.0);
  EXPECT_DOUBLE_EQ(quantity_of("12.5 %", "ratio").value(), 0.125);
  EXPECT_DOUBLE_EQ(quantity_of("1.5 s", "ms").value(), 1500);
  EXPECT_FALSE(quantity_of("70 GB", "ms"));
  EXPECT_FALSE(quantity_of("70", "bytes"));
  EXPECT_FALSE(quantity_of("GB", "bytes"));
  EXPECT_FALSE(quantity_of("nan %", "ratio"));
  EXPECT_FALSE(quantity_of("", "ratio"));
}

}  // namespace
}  // namespace flatout::check
