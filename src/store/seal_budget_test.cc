#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "store/run_writer.h"
#include "store/seal.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

// What a log costs to seal follows from its payloads: `points` that are all alike
// take hardly a byte each in it.
class SealBudgetTest : public testing::Test {
 protected:
  std::string record(int points) {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.host = from.host;
    EXPECT_TRUE(writer->begin(info));
    std::vector<run::Sample> samples(1000, {.metric = run::Metric::kHostIowait});
    for (int left = points; left > 0; left -= 1000) {
      samples.resize(static_cast<std::size_t>(std::min(left, 1000)));
      EXPECT_TRUE(writer->samples(samples));
      EXPECT_TRUE(writer->flush());
    }
    EXPECT_TRUE(writer->end({.t_ns = 9'000'000'000, .exit_code = 0, .survivors = {}}));
    return writer->id();
  }

  ScratchFolder scratch;
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  Viewpoint from = viewpoint_here();
};

TEST_F(SealBudgetTest, PointsAreCountedNotTheBytesThatTheyTake) {
  const auto id = record(200'000);
  constexpr base::DurationNs kBudget = base::kSecond / 100;
  ASSERT_LT(std::filesystem::file_size(home.log(id)), sealable_bytes(kBudget) / 10);
  EXPECT_EQ(seal_within(home, id, from, kBudget).value(), SealResult::kNotYet);
  EXPECT_TRUE(std::filesystem::exists(home.log(id)));
  EXPECT_EQ(seal_within(home, id, from, base::kSecond).value(), SealResult::kSealed);
  EXPECT_EQ(seal_within(home, id, from, 0).value(), SealResult::kAlready);
}

TEST_F(SealBudgetTest, TheSweepLeavesWhatWouldTakeTooLong) {
  const auto large = record(200'000);
  const auto small = record(1000);
  const auto sweep = seal_ended(home, from, clock, base::kSecond / 100);
  EXPECT_EQ(sweep.sealed, 1U);
  EXPECT_EQ(sweep.left, 1U);
  EXPECT_TRUE(std::filesystem::exists(home.log(large)));
  EXPECT_FALSE(std::filesystem::exists(home.log(small)));
}

}  // namespace
}  // namespace flatout::store
