#include "trial/cpu_sets.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace flatout::trial {
namespace {

TEST(CpuSets, WholeCoresGoToOneSet) {
  const std::vector<Cpus> cores = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  EXPECT_EQ(share_out(cores, 2), (std::vector<Cpus>{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(share_out(cores, 3), (std::vector<Cpus>{{0, 4}, {1, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(share_out(cores, 1)->front().size(), 8U);
}

TEST(CpuSets, MoreSetsThanCoresShareTheirThreads) {
  const std::vector<Cpus> cores = {{0, 2}, {1, 3}};
  EXPECT_EQ(share_out(cores, 4), (std::vector<Cpus>{{0}, {2}, {1}, {3}}));
  EXPECT_FALSE(share_out(cores, 5));
  EXPECT_FALSE(share_out({}, 1));
}

TEST(CpuSets, AreDisjointAndNeverEmpty) {
  for (int cores = 1; cores <= 9; ++cores) {
    std::vector<Cpus> here;
    for (int core = 0; core < cores; ++core) here.push_back({2 * core, 2 * core + 1});
    for (int count = 1; count <= 2 * cores; ++count) {
      const auto sets = share_out(here, count);
      ASSERT_TRUE(sets);
      ASSERT_EQ(sets->size(), static_cast<std::size_t>(count));
      std::set<int> seen;
      std::size_t given = 0;
      for (const auto& cpus : *sets) {
        EXPECT_FALSE(cpus.empty());
        seen.insert(cpus.begin(), cpus.end());
        given += cpus.size();
      }
      EXPECT_EQ(seen.size(), given);
      EXPECT_EQ(given, static_cast<std::size_t>(2 * cores));
    }
  }
}

TEST(CpuSets, AKernelThatTellsNothingGivesEachCpuACore) {
  const auto cores = cores_here(::testing::TempDir() + "no/such/folder");
  ASSERT_FALSE(cores.empty());
  for (const auto& core : cores) EXPECT_EQ(core.size(), 1U);
}

}  // namespace
}  // namespace flatout::trial
