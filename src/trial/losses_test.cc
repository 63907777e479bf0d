#include "trial/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flatout::trial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

run::NamedValue value(const std::string& name, double number, std::int64_t step) {
  return {.t_ns = step, .value = number, .step = step, .name = name};
}

TEST(TuneLosses, OfTheHooksBeforeThoseOfTheProgram) {
  const std::vector<run::NamedValue> values = {value("loss", 9, 0), value("flatout.loss", 1, 0),
                                               value("flatout.loss", 2, 1),
                                               value("flatout.loss", 4, 3)};
  EXPECT_THAT(logged_losses(values, {}), ElementsAre(1, 2));
  EXPECT_THAT(logged_losses(values, {.log_name = "loss", .printed = ""}), ElementsAre(9));
  EXPECT_THAT(logged_losses(values, {.log_name = "other", .printed = ""}), IsEmpty());
}

TEST(TuneLosses, WhatAFrameworkDividedIsTheBatchsOwnAgain) {
  const std::vector<run::NamedValue> values = {value("flatout.loss", 0.25, 0),
                                               value("flatout.loss", 0.5, 1), value("loss", 9, 0)};
  EXPECT_THAT(logged_losses(values, {}, 4), ElementsAre(1, 2));
  EXPECT_THAT(logged_losses(values, {}, 0), ElementsAre(0.25, 0.5));
  EXPECT_THAT(logged_losses(values, {.log_name = "loss", .printed = ""}, 4), ElementsAre(9));
  EXPECT_THAT(logged_losses(std::vector{value("loss", 9, 0)}, {}, 4), ElementsAre(9));
}

TEST(TuneLosses, UsualNamesAreFound) {
  for (const char* name : {"loss", "train_loss", "train/loss"}) {
    EXPECT_THAT(logged_losses(std::vector{value("accuracy", 3, 1), value(name, 2, 1)}, {}),
                ElementsAre(2));
  }
  EXPECT_THAT(logged_losses(std::vector{value("val_loss", 2, 1)}, {}), IsEmpty());
}

TEST(TuneLosses, EachTenthStepIsAStrideAndAGapInItEndsThem) {
  EXPECT_THAT(logged_losses(std::vector{value("loss", 1, 10), value("loss", 2, 20),
                                        value("loss", 3, 30), value("loss", 5, 50)},
                            {}),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(logged_losses(std::vector{value("loss", 1, -1), value("loss", 2, -1)}, {}),
              ElementsAre(1, 2));
}

TEST(TuneLosses, AreReadFromWhatIsPrinted) {
  const std::string output =
      "start\nstep 1 loss=0.5\r\nstep 2 loss=1e-3 loss=7\nloss=oops\nloss=nan\rloss=2";
  const auto losses = printed_losses(output, "loss=([0-9.eE+-]+|nan)");
  ASSERT_EQ(losses.size(), 4U);
  EXPECT_EQ(losses[0], 0.5);
  EXPECT_EQ(losses[1], 1e-3);
  EXPECT_TRUE(std::isnan(losses[2]));
  EXPECT_EQ(losses[3], 2);
  EXPECT_THAT(printed_losses("", "(x)"), IsEmpty());
}

TEST(TuneLosses, ALineOfAnyLengthIsRead) {
  const std::string line = "loss=3 " + std::string(5'000'000, 'x');
  EXPECT_THAT(printed_losses(line + "\nloss=4\n", "loss=(\\d+).*"), ElementsAre(3, 4));
}

TEST(TuneLosses, OptionsThatMakeNoSenseAreNamed) {
  EXPECT_EQ(parse_loss_source("log:a/b")->log_name, "a/b");
  EXPECT_EQ(parse_loss_source("loss (.*)")->printed, "loss (.*)");
  EXPECT_THAT(parse_loss_source("log:").error().message, HasSubstr("log:train_loss"));
  EXPECT_THAT(parse_loss_source("loss").error().message, HasSubstr("one group"));
  EXPECT_THAT(parse_loss_source("(a)(b)").error().message, HasSubstr("one group"));
  EXPECT_THAT(parse_loss_source("(").error().message, HasSubstr("no regular expression"));
}

}  // namespace
}  // namespace flatout::trial
