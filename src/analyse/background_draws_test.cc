#include "analyse/background_draws.h"

#include <gtest/gtest.h>

#include "analyse/analyse.h"
#include "analyse/timeline_builder.h"

namespace flatout::analyse {
namespace {

using run::Phase;

// The step thread is in `other` for 10 ms of each 20 ms; a second thread draws
// for `inside` ms of each 20 ms.
TimelineBuilder program(double inside, int steps = 60) {
  LaneScript loop(500);
  LaneScript drawing(500, 1);
  for (int i = 0; i < steps; ++i) {
    loop.idle(10).train(10);
    drawing.draw(1, inside).idle(20 - inside);
  }
  TimelineBuilder builder;
  builder.lane(loop).lane(drawing).loader(0).iterator(1, 0);
  return builder;
}

TEST(BackgroundDraws, ShareIsThatOfTheBusiestOtherThread) {
  const run::Timeline timeline = program(15).timeline();
  const run::ProcessTrack& process = timeline.processes.at(TimelineBuilder::kPid);
  const auto share = background_draw_share(process, 0, {ns(500), ns(1700)});
  ASSERT_TRUE(share);
  EXPECT_NEAR(*share, 0.75, 0.01);
  EXPECT_EQ(background_draw_share(process, 1, {ns(500), ns(1700)}), std::nullopt)
      << "the step thread draws itself";
  EXPECT_EQ(background_draw_share({}, 0, {ns(500), ns(1700)}), std::nullopt);
  EXPECT_EQ(background_draw_share(process, 0, {ns(500), ns(500)}), std::nullopt);
}

TEST(BackgroundDraws, WaitingForDataCannotBeToldFromPythonOfTheLoop) {
  const run::Report report = analyse(program(5).timeline());
  ASSERT_TRUE(report.steps);
  EXPECT_FALSE(report.steps->phases.contains("data_wait"));
  EXPECT_NE(report.steps->phases_unavailable.at("data_wait").find("background"), std::string::npos);
  EXPECT_EQ(report.verdict.finding, "host_bound");
  EXPECT_EQ(report.verdict.cause, run::Cause::kNone);
  EXPECT_EQ(report.verdict.summary.find("most likely"), std::string::npos);
}

TEST(BackgroundDraws, AThreadThatIsAlwaysInTheLoaderPointsAtTheData) {
  const run::Report report = analyse(program(20).timeline());
  EXPECT_EQ(report.verdict.finding, "host_bound");
  EXPECT_EQ(report.verdict.cause, run::Cause::kNone);
  EXPECT_NE(report.verdict.summary.find("most likely waits for data"), std::string::npos)
      << report.verdict.summary;
}

}  // namespace
}  // namespace flatout::analyse
