#include "cli/live_status.h"

#include <gtest/gtest.h>

namespace flatout::cli {
namespace {

constexpr base::TimeNs kS = base::kSecond;

TEST(LiveText, SaysWhatIsKnown) {
  LiveFigures figures{.elapsed_ns = 250 * kS, .steps = 1240, .steps_per_s = 31.2};
  EXPECT_EQ(live_text(figures), "step 1240, 31.2 steps/s, 4 min 10 s");
  figures.verdict = "input_bound";
  EXPECT_EQ(live_text(figures), "step 1240, 31.2 steps/s, input-bound so far, 4 min 10 s");
  figures.steps_per_s = 0.25;
  EXPECT_EQ(live_text(figures), "step 1240, 4 s a step, input-bound so far, 4 min 10 s");
  EXPECT_EQ(live_text({.elapsed_ns = 3 * kS}), "no step yet, 3 s");
  EXPECT_EQ(live_text({.elapsed_ns = 3 * kS, .verdict = "no_steps", .hooks = false}),
            "running, 3 s");
}

TEST(LiveText, LeavesOutItsLastClausesWhereTheLineIsNarrow) {
  const std::string text = "flatout: step 1240, 31.2 steps/s, input-bound so far, 4 min 10 s";
  EXPECT_EQ(live_line(text, 80), text);
  EXPECT_EQ(live_line(text, text.size()), "flatout: step 1240, 31.2 steps/s, input-bound so far");
  EXPECT_EQ(live_line(text, 30), "flatout: step 1240");
  EXPECT_LE(live_line(text, 10).size(), 9U);
  EXPECT_LE(live_line(text, 0).size(), 1U);
}

TEST(StepRate, IsOfTheLastSeconds) {
  StepRate rate;
  EXPECT_FALSE(rate.at(100 * kS, 0));
  EXPECT_FALSE(rate.at(100 * kS + kS / 2, 5)) << "half a second says little";
  EXPECT_DOUBLE_EQ(rate.at(101 * kS, 10).value(), 10);
  for (int i = 2; i <= 20; ++i) (void)rate.at((100 + i) * kS, 10);
  EXPECT_FALSE(rate.at(121 * kS, 10)) << "it stands still: no rate, not that of long ago";
  EXPECT_GT(rate.at(122 * kS, 40).value_or(0), 5);
}

TEST(LivePlace, IsNowhereWithoutATerminal) {
  EXPECT_EQ(live_place(-1, true, "xterm-256color"), LivePlace::kNowhere);
}

}  // namespace
}  // namespace flatout::cli
