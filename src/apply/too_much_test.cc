#include "apply/too_much.h"

#include <gtest/gtest.h>

namespace flatout::apply {
namespace {

TEST(TooMuch, IsTheLeastNumberAbovePresentThatFailed) {
  TooMuch too_much;
  EXPECT_FALSE(too_much.of("workers"));
  EXPECT_FALSE(too_much.holds("workers", "100"));
  too_much.failed("workers", "8", "2");
  too_much.failed("workers", "5", "2");
  too_much.failed("workers", "6", "2");
  EXPECT_EQ(too_much.of("workers"), 5);
  EXPECT_TRUE(too_much.holds("workers", "5"));
  EXPECT_TRUE(too_much.holds("workers", "12"));
  EXPECT_FALSE(too_much.holds("workers", "4"));
  EXPECT_FALSE(too_much.holds("others", "12"));
}

TEST(TooMuch, KnowsNothingOfWhatIsNoNumberOrLess) {
  TooMuch too_much;
  too_much.failed("workers", "1", "2");
  too_much.failed("workers", "true", "false");
  too_much.failed("workers", "\"default\"", "null");
  too_much.failed("workers", "4", "");
  EXPECT_FALSE(too_much.of("workers"));
  too_much.failed("workers", "4", "2");
  EXPECT_FALSE(too_much.holds("workers", "true"));
  EXPECT_FALSE(too_much.holds("workers", ""));
}

}  // namespace
}  // namespace flatout::apply
