#include "collect/procfs/pss_source.h"

#include <gtest/gtest.h>

#include <set>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
constexpr base::DurationNs kPssTick = base::kSecond / 10;

// Processes 11, 12, ... below the recorder 10; reading one costs `cost`.
class PssSourceTest : public ::testing::Test {
 protected:
  void grow(int processes, long rss_pages = 1000) {
    std::string children;
    for (int pid = 11; pid < 11 + processes; ++pid) {
      children += std::to_string(pid) + " ";
      const auto dir = "/proc/" + std::to_string(pid);
      host.write(dir + "/stat", StatLine{.pid = pid, .parent = 10, .rss_pages = rss_pages}.text());
      host.write(dir + "/smaps_rollup", "55-66 ---p 0 00:00 0 [rollup]\nRss: 4000 kB\nPss: " +
                                            std::to_string(pid) + " kB\nPss_Dirty: 7 kB\n");
    }
    host.write("/proc/10/task/10/children", children);
  }
  bool prepare() {
    host.write("/proc/10/stat", StatLine{.pid = 10}.text());
    host.write("/proc/10/task/10/children", "");
    return true;
  }
  // All samples of so many ticks.
  Samples run(int ticks) {
    Samples out;
    for (int i = 0; i < ticks; ++i) {
      now += kPssTick;
      tree.update(now, true);
      EXPECT_TRUE(source.sample(now, out));
      for (auto& note : source.take_notes()) notes.push_back(note);
    }
    return out;
  }
  FakeHost host;
  const bool prepared = prepare();
  base::TimeNs now = 100 * base::kSecond;
  std::int64_t cost = base::kMillisecond;
  std::int64_t cpu = 0;
  std::vector<std::string> notes;
  ProcessTree tree{host.paths(), {.recorder = 10, .cpu = [] { return 0; }}};
  PssSource source{host.paths(), tree, [this] { return cpu += cost; }};
};

TEST_F(PssSourceTest, OneSecondAfterItWasSeenAndThenEveryTen) {
  grow(1);
  EXPECT_TRUE(run(10).all.empty());
  const auto first = run(1);
  ASSERT_EQ(first.all.size(), 1U);
  EXPECT_EQ(first.value(Metric::kProcessMemoryPss, 11), 11 * 1024);
  EXPECT_TRUE(run(99).all.empty());
  EXPECT_EQ(run(1).all.size(), 1U);
  EXPECT_TRUE(notes.empty());
}

TEST_F(PssSourceTest, ManyProcessesTakeTurns) {
  grow(8);  // 1 ms each: a rest of 0.2 s, so a round fits into 10 s
  const auto first = run(110);
  std::set<int> seen;
  for (const auto& one : first.all) EXPECT_TRUE(seen.insert(one.source).second);
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_TRUE(notes.empty());
}

// 8 processes at 20 ms: each reading is followed by 4 s of rest.
TEST_F(PssSourceTest, DearReadingsKeepToTheBudgetAndSaySoOnce) {
  cost = 20 * base::kMillisecond;
  grow(8, 300'000);
  const auto all = run(1200);  // 120 s
  EXPECT_LE(all.all.size(), 31U);
  EXPECT_GE(all.all.size(), 28U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("less often"), std::string::npos);
}

TEST_F(PssSourceTest, AProcessTooLargeToReadIsLeftAlone) {
  grow(1, 1'000'000);  // 4 GB: 60 ms
  EXPECT_TRUE(run(300).all.empty());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("11"), std::string::npos);
}

// Where a page costs more than was thought, that is learnt.
TEST_F(PssSourceTest, TheCostOfAPageIsLearnt) {
  cost = 40 * base::kMillisecond;
  grow(1, 100'000);
  EXPECT_EQ(run(11).all.size(), 1U);  // 400 ns a page
  grow(1, 200'000);
  EXPECT_TRUE(run(300).all.empty());
  EXPECT_EQ(notes.size(), 1U);
}

TEST_F(PssSourceTest, AFileThatCannotBeReadIsAbsent) {
  grow(1);
  host.remove("/proc/11/smaps_rollup");
  EXPECT_TRUE(run(200).all.empty());
  EXPECT_TRUE(notes.empty());
}

TEST(Pss, ACutNumberIsAbsent) {
  const std::string text = "Rss: 4000 kB\nPss: 1234 kB\n";
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse_pss(std::string_view(text).substr(0, size)));
  }
  EXPECT_EQ(parse_pss(text), 1234U * 1024);
  EXPECT_FALSE(parse_pss("Pss: 18446744073709551615 kB\n"));
}

}  // namespace
}  // namespace flatout::collect
