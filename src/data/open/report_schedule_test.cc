#include "data/open/report_schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace flatout::data {
namespace {

TEST(ReportSchedule, SoonThenEachSecondThenEverMoreSeldom) {
  const base::TimeNs start = 1'000 * base::kSecond;
  ReportSchedule schedule(start);
  std::vector<base::DurationNs> at;
  for (base::DurationNs now = 0; now < 3'600 * base::kSecond; now += 10 * base::kMillisecond) {
    if (!schedule.due(start + now)) continue;
    schedule.reported(start + now);
    at.push_back(now);
  }
  ASSERT_GT(at.size(), 60U);
  EXPECT_LT(at.size(), 400U);
  EXPECT_EQ(at[0], 100 * base::kMillisecond);
  EXPECT_EQ(at[1], 300 * base::kMillisecond);
  EXPECT_EQ(at[2], 700 * base::kMillisecond);
  EXPECT_NEAR(static_cast<double>(at[10] - at[9]), 1e9, 2e7);
  EXPECT_LT(at.back() - at[at.size() - 2], 60 * base::kSecond);
}

TEST(ReportSchedule, EachOfTheFirstEpochsReportsHowItEnded) {
  ReportSchedule schedule(0);
  int reported = 0;
  for (base::TimeNs now = 0; now < 1'000; ++now) {
    if (!schedule.due_at_epoch_end(now)) continue;
    schedule.reported(now);
    ++reported;
  }
  EXPECT_EQ(reported, 64);
}

}  // namespace
}  // namespace flatout::data
