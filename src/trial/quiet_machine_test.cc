#include "trial/quiet_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace flatout::trial {
namespace {

using base::kSecond;

// Two cores of which others use `cores` in each second, and the last figure from then on.
struct Machine {
  std::vector<double> cores;
  std::int64_t busy_ns = 0;
  std::size_t second = 0;
  int stop_after = 1000;
  bool wait(base::DurationNs at_most) {
    return wait_until_quiet(
        at_most, 2, [this] { return std::optional(busy_ns); },
        [this](base::DurationNs ns) {
          const double used = cores[std::min(second++, cores.size() - 1)];
          busy_ns += static_cast<std::int64_t>(used * static_cast<double>(ns));
        },
        [this] { return static_cast<int>(second) >= stop_after; });
  }
};

TEST(Quiet, ItWaitsForTheFirstSecondInWhichOthersUseNextToNothing) {
  Machine machine{.cores = {1.9, 1.2, 0.3, 0.1, 0}};
  EXPECT_TRUE(machine.wait(60 * kSecond));
  EXPECT_EQ(machine.second, 4U);
}

TEST(Quiet, ItGivesUpAtItsTimeAndWhereTheUserWantsItToEnd) {
  Machine busy{.cores = {2}};
  EXPECT_FALSE(busy.wait(5 * kSecond));
  EXPECT_EQ(busy.second, 5U);
  Machine stopped{.cores = {2}};
  stopped.stop_after = 2;
  EXPECT_FALSE(stopped.wait(60 * kSecond));
  EXPECT_EQ(stopped.second, 2U);
  Machine brief{.cores = {0}};
  EXPECT_FALSE(brief.wait(kSecond / 2)) << "too short to tell";
}

TEST(Quiet, NothingIsWaitedForWhereNobodyCanTell) {
  int pauses = 0;
  EXPECT_FALSE(wait_until_quiet(
      9 * kSecond, 2, [] { return std::optional<std::int64_t>(); },
      [&](base::DurationNs) { ++pauses; }, [] { return false; }));
  EXPECT_EQ(pauses, 0);
}

}  // namespace
}  // namespace flatout::trial
