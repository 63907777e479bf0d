#include "cli/time_left.h"

#include <gtest/gtest.h>

namespace flatout::cli {
namespace {

constexpr base::DurationNs kOneSecond = base::kSecond;

TEST(TimeLeft, FollowsWhatTrialsTake) {
  TimeLeft left;
  left.begins(0);  // the program as it is, before there is a plan
  EXPECT_FALSE(left.left());
  EXPECT_EQ(left.left_within(60 * kOneSecond), 60 * kOneSecond);
  left.plan(4, 10 * kOneSecond);
  EXPECT_EQ(left.left(), 40 * kOneSecond);
  left.begins(100 * kOneSecond);
  EXPECT_EQ(left.left(), 40 * kOneSecond);
  left.begins(130 * kOneSecond);  // the first took 30 s
  EXPECT_EQ(left.left(), 60 * kOneSecond) << "three more of 20 s, the mean of 10 and 30";
  EXPECT_EQ(left.left_within(25 * kOneSecond), 25 * kOneSecond) << "the budget ends it before";
  for (int i = 1; i <= 9; ++i) left.begins((130 + i * 30) * kOneSecond);
  EXPECT_EQ(left.left(), 28 * kOneSecond + 181'818'181) << "more than were likely: one of the mean";
}

}  // namespace
}  // namespace flatout::cli
