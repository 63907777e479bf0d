#include "launch/hook_watch.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace flatout::launch {
namespace {

using Lines = std::vector<std::string>;
using base::kMillisecond;
using base::kSecond;

// A program at 10 ticks a second, whose process tree the test sets up.
class Program {
 public:
  // Ticks until `seconds` after the start; everything said meanwhile.
  Lines until(int seconds, bool hooks_spoke = false) {
    Lines said;
    while (clock_.monotonic() - started_ns_ < seconds * kSecond) {
      clock_.advance(100 * kMillisecond);
      for (std::string& line : watch_.tick(clock_.monotonic(), hooks_spoke)) {
        said.push_back(std::move(line));
      }
    }
    return said;
  }
  Lines late_tick(int seconds) {
    clock_.advance(seconds * kSecond);
    return watch_.tick(clock_.monotonic(), false);
  }

  std::vector<HookLoss> tree;
  int looks = 0;

 private:
  base::FakeClock clock_;
  base::TimeNs started_ns_ = clock_.monotonic();
  HookWatch watch_{started_ns_, [this] {
                     ++looks;
                     return tree;
                   }};
};

const HookLoss kIsolated = {LossKind::kPythonFlag, 7, "python -I: no hooks"};
const HookLoss kRemote = {LossKind::kLauncher, 8, "ssh: no hooks"};

TEST(HookWatch, LooksAfterThreeAndAfterFifteenSeconds) {
  Program program;
  program.until(2);
  EXPECT_EQ(program.looks, 0);
  program.until(4);
  EXPECT_EQ(program.looks, 1);
  program.until(14);
  EXPECT_EQ(program.looks, 1);
  program.until(600);
  EXPECT_EQ(program.looks, 2);
}

TEST(HookWatch, SaysWhatItFindsOnce) {
  Program program;
  program.tree = {kIsolated};
  EXPECT_EQ(program.until(10), Lines{kIsolated.line});
  program.tree = {kIsolated, kRemote};
  EXPECT_EQ(program.until(60), Lines{kRemote.line});
}

TEST(HookWatch, APythonThatALauncherStartsLateIsFoundAtTheSecondLook) {
  Program program;
  EXPECT_EQ(program.until(10), Lines{});
  program.tree = {kIsolated};
  EXPECT_EQ(program.until(60), Lines{kIsolated.line});
}

TEST(HookWatch, NeverLooksOnceTheHooksSpoke) {
  Program program;
  program.tree = {kIsolated};
  EXPECT_EQ(program.until(60, true), Lines{});
  EXPECT_EQ(program.looks, 0);
}

TEST(HookWatch, HooksThatSpeakAfterTheFirstLookEndIt) {
  Program program;
  program.until(4);
  program.tree = {kIsolated};
  EXPECT_EQ(program.until(60, true), Lines{});
  EXPECT_EQ(program.looks, 1);
}

TEST(HookWatch, ATickThatComesLateLooksOnce) {
  Program program;
  program.tree = {kIsolated};
  EXPECT_EQ(program.late_tick(100), Lines{kIsolated.line});
  EXPECT_EQ(program.looks, 1);
}

}  // namespace
}  // namespace flatout::launch
