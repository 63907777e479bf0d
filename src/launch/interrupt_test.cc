#include "launch/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace flatout::launch {
namespace {

TEST(Interrupt, IsTermForWhoIgnoresInt) {
  const auto before = std::signal(SIGINT, SIG_DFL);  // the tests may run in the background
  EXPECT_EQ(interrupt_signal(::getpid()), SIGINT);
  (void)std::signal(SIGINT, SIG_IGN);
  EXPECT_EQ(interrupt_signal(::getpid()), SIGTERM);
  (void)std::signal(SIGINT, before);
}

TEST(Interrupt, IsIntWhereNothingCanBeRead) {
  const std::filesystem::path proc = std::filesystem::path(::testing::TempDir()) / "interrupt";
  std::filesystem::remove_all(proc);
  EXPECT_EQ(interrupt_signal(7, proc), SIGINT);
  std::filesystem::create_directories(proc / "7");
  for (const char* status : {"", "Name:\ta\nSigIgn:", "Name:\ta\nSigIgn:\tzz\n",
                             "Name:\tSigIgn:\t02\n", "Name:\ta\nSigIgn:\t0000000000000004\n"}) {
    std::ofstream(proc / "7/status") << status;
    EXPECT_EQ(interrupt_signal(7, proc), SIGINT) << status;
  }
  std::ofstream(proc / "7/status") << "Name:\ta\nSigIgn:\t0000000000001006\n";
  EXPECT_EQ(interrupt_signal(7, proc), SIGTERM);
}

}  // namespace
}  // namespace flatout::launch
