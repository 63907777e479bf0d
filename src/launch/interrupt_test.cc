#include "launch/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace flatout::launch {
namespace {

class InterruptTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(proc); }
  void TearDown() override { (void)std::signal(SIGINT, before); }
  void says(const char* status) {
    std::filesystem::create_directories(proc / "7");
    std::ofstream(proc / "7/status") << status;
  }

  const std::filesystem::path proc = std::filesystem::path(::testing::TempDir()) / "interrupt";
  void (*before)(int) = std::signal(SIGINT, SIG_IGN);  // as in the background
};

TEST_F(InterruptTest, IsTermForWhoIgnoresIntAsFlatoutDoes) {
  EXPECT_EQ(interrupt_signal(::getpid()), SIGTERM);
  says("Name:\ta\nSigIgn:\t0000000000001006\n");
  EXPECT_EQ(interrupt_signal(7, proc), SIGTERM);
}

TEST_F(InterruptTest, IsIntForWhoIgnoresItByItself) {
  (void)std::signal(SIGINT, SIG_DFL);
  says("Name:\ta\nSigIgn:\t0000000000001006\n");
  EXPECT_EQ(interrupt_signal(7, proc), SIGINT);
}

TEST_F(InterruptTest, IsIntWhereNothingCanBeRead) {
  EXPECT_EQ(interrupt_signal(7, proc), SIGINT);
  for (const char* status : {"", "Name:\ta\nSigIgn:", "Name:\ta\nSigIgn:\tzz\n",
                             "Name:\tSigIgn:\t02\n", "Name:\ta\nSigIgn:\t0000000000000004\n"}) {
    says(status);
    EXPECT_EQ(interrupt_signal(7, proc), SIGINT) << status;
  }
}

TEST(EndedByInterrupt, IsASignalOfTheTwoOrItsStatus) {
  EXPECT_TRUE(ended_by_interrupt({.signal = SIGINT}));
  EXPECT_TRUE(ended_by_interrupt({.signal = SIGTERM}));
  EXPECT_TRUE(ended_by_interrupt({.code = 130}));
  EXPECT_TRUE(ended_by_interrupt({.code = 143}));
  for (const Exit& exit : {Exit{.code = 0}, Exit{.code = 1}, Exit{.code = SIGINT},
                           Exit{.code = 137}, Exit{.signal = SIGKILL}, Exit{.signal = SIGSEGV}}) {
    EXPECT_FALSE(ended_by_interrupt(exit)) << exit.code << " " << exit.signal;
  }
}

}  // namespace
}  // namespace flatout::launch
