// Both views of a Comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/golden_test.h"
#include "report/several_examples.h"

namespace flatout::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(CompareText, SaysWhatChanged) {
  const std::string text = to_text(compared_example());
  EXPECT_THAT(text, HasSubstr("baseline k7f2"));
  EXPECT_THAT(text, HasSubstr("bootstrap"));
  EXPECT_THAT(text, HasSubstr("m3qa (workers8) x7.2 [6.5, 7.3]: FASTER"));
  EXPECT_THAT(text, HasSubstr("the runs were made on different machines"));
  EXPECT_THAT(text, HasSubstr("INPUT-BOUND -> COMPUTE-BOUND"));
  EXPECT_THAT(text, HasSubstr("input_bound (single_process_loading, 86 %)"));
  EXPECT_THAT(text, HasSubstr("loader.workers: 0 -> 8"));
  EXPECT_THAT(text, HasSubstr("optimizer.fused: not stated -> true"));
  EXPECT_THAT(text, HasSubstr("machine.host: node1 -> node2"));
  EXPECT_THAT(text, HasSubstr("-86 %"));
  EXPECT_THAT(text, HasSubstr("+74 points"));
  EXPECT_THAT(text, HasSubstr("-581 ms"));
  EXPECT_THAT(text, Not(HasSubstr("sync"))) << "neither run spends time there";
  EXPECT_LE(longest_line(text), 80U);
}

TEST(CompareText, ReadsAsItsGoldenPage) {
  expect_golden("compare", [](const Style& style) { return to_text(compared_example(), style); });
}

TEST(CompareText, ANarrowPageHasEveryLabel) {
  for (const std::size_t columns : {1U, 40U, 51U, 52U, 60U}) {
    const std::string text = to_text(compared_example(), {.columns = columns});
    const std::size_t least = std::max<std::size_t>(columns, 40);
    EXPECT_LE(longest_line(text), least) << text;
    for (const char* label :
         {"\n  median", "\n  device busy", "\n  samples", "\n  GPU 0 power", "\n  data_wait"}) {
      EXPECT_THAT(text, HasSubstr(label)) << columns;
    }
  }
  EXPECT_THAT(to_text(compared_example(), {.columns = 40}),
              HasSubstr("  median\n       674 ms    93.1 ms  -86 %\n"));
}

TEST(CompareText, AnIntervalThatHoldsOneShowsNoDifference) {
  run::Comparison comparison = compared_example();
  comparison.others[0].speedup = run::Speedup{1.02, 0.97, 1.06};
  comparison.others[0].shown = false;
  const std::string text = to_text(comparison);
  EXPECT_THAT(text, HasSubstr("no difference shown"));
  EXPECT_THAT(text, Not(HasSubstr("FASTER")));
}

TEST(CompareText, SaysThatItWasMeasuredOnABusyMachine) {
  run::Comparison comparison = compared_example();
  comparison.others[0].loaded = true;
  EXPECT_THAT(to_text(comparison, {.columns = 200}), HasSubstr("on a busy machine: FASTER"));
  comparison.others[0].shown = false;
  EXPECT_THAT(to_text(comparison, {.columns = 200}),
              HasSubstr("on a busy machine: no difference shown"));
}

TEST(CompareText, RunsOfOtherModelsAreNeitherFasterNorSlower) {
  run::Comparison comparison = compared_example();
  comparison.others[0].cautions.push_back({"other_model", "the models differ"});
  const std::string text = to_text(comparison);
  EXPECT_THAT(text, HasSubstr(": another model\n"));
  EXPECT_THAT(text, Not(HasSubstr("FASTER")));
}

TEST(CompareText, FasterStepsOfASlowerLoopAreCalledThat) {
  run::Comparison comparison = compared_example();
  comparison.others[0].by_clock = 0.83;
  EXPECT_THAT(to_text(comparison), HasSubstr(": FASTER STEPS, SLOWER LOOP"));
  comparison.others[0].by_clock = 1.4;
  EXPECT_THAT(to_text(comparison), HasSubstr(": FASTER\n"));
}

TEST(CompareText, ALossOfSpeedIsSaidAsTimesSlower) {
  run::Comparison comparison = compared_example();
  comparison.others[0].speedup = run::Speedup{0.25, 0.2, 0.5};
  const std::string text = to_text(comparison);
  EXPECT_THAT(text, HasSubstr("4x slower [2, 5]: SLOWER"));
  EXPECT_THAT(text, Not(HasSubstr("x0.25")));
}

TEST(CompareText, FindingsAreResolvedNewOrUnchanged) {
  run::Comparison comparison = compared_example();
  const auto change = [](const char* id, run::Presence presence) {
    run::FindingChange out;
    out.id = id;
    out.presence = presence;
    return out;
  };
  comparison.others[0].findings = {change("a", run::Presence::kWent),
                                   change("b", run::Presence::kCame),
                                   change("c", run::Presence::kStayed)};
  const std::string text = to_text(comparison);
  for (const char* line : {"\nResolved   a", "\nNew        b", "\nUnchanged  c"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(CompareText, WithoutASpeedupSaysWhy) {
  run::Comparison comparison = compared_example();
  comparison.others[0].speedup.reset();
  comparison.others[0].no_speedup = "m3qa has no steps";
  EXPECT_THAT(to_text(comparison), HasSubstr("no speedup is known: m3qa has no steps"));
}

TEST(CompareText, HostileNamesStayOnTheirLines) {
  run::Comparison comparison = compared_example();
  run::Contrast& contrast = comparison.others[0];
  contrast.run.name = "x\n\x1b[31mred" + std::string(300, 'y');
  contrast.run.id = std::string(200, 'z');
  contrast.config.assign(40,
                         {std::string(100, 'k') + "\n", "\"\x1b]0;t\x07\"", std::string(500, '9')});
  contrast.figures.push_back({"devices.9", "ratio", std::nan(""), 1e300});
  contrast.phases.push_back(
      {std::string(90, 'p'), std::numeric_limits<double>::infinity(), 1, 1, 1});
  const std::string text = to_text(comparison);
  EXPECT_LE(longest_line(text), 80U);
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f));
  EXPECT_THAT(text, HasSubstr("and 28 more"));
}

TEST(CompareJson, HasAllOfIt) {
  const Json json = Json::parse(to_json(compared_example()));
  EXPECT_EQ(json["schema"], "flatout.compare/1");
  EXPECT_EQ(json["baseline"]["id"], "k7f2");
  const Json& run = json["runs"][0];
  EXPECT_EQ(run["speedup"]["ratio"], 7.2);
  EXPECT_EQ(run["speedup"]["interval"], Json({6.5, 7.3}));
  EXPECT_EQ(run["speedup"]["shown"], true);
  EXPECT_EQ(run["findings"][0]["change"], "went");
  EXPECT_FALSE(run["findings"][0].contains("after_share"));
  EXPECT_EQ(run["config"][0]["before"], 0);
  EXPECT_FALSE(run["config"][1].contains("before")) << "not stated is absent";
  EXPECT_EQ(run["environment"][0]["after"], "node2");
  EXPECT_FALSE(run["figures"][3].contains("before"));
  EXPECT_FALSE(json.contains("rules_off"));
}

TEST(CompareJson, NoNumberIsNullOrNan) {
  run::Comparison comparison = compared_example();
  comparison.others[0].speedup = run::Speedup{std::nan(""), 1, 2};
  comparison.others[0].figures[0].after = std::numeric_limits<double>::infinity();
  const std::string text = to_json(comparison);
  EXPECT_THAT(text, Not(HasSubstr("null")));
  const Json json = Json::parse(text);
  EXPECT_FALSE(json["runs"][0].contains("speedup"));
  EXPECT_TRUE(json["runs"][0].contains("no_speedup"));
}

}  // namespace
}  // namespace flatout::report
