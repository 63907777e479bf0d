#include "analyse/stragglers/rank_numbers.h"

#include <gtest/gtest.h>

namespace flatout::analyse {
namespace {

std::vector<RankTrace> files_named(std::initializer_list<const char*> names) {
  std::vector<RankTrace> ranks;
  for (const char* name : names) {
    ranks.emplace_back();
    ranks.back().file = name;
  }
  return ranks;
}

TEST(RankNumbers, StandInNamesOfFiles) {
  EXPECT_EQ(rank_in_name("logs/rank3.json"), 3);
  EXPECT_EQ(rank_in_name("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz"), 34);
  EXPECT_EQ(rank_in_name("sampled_rank_12.json"), 12);
  EXPECT_EQ(rank_in_name("Rank=7.json"), 7);
  EXPECT_EQ(rank_in_name("worker_5.1700000000.pt.trace.json"), 5);
  EXPECT_EQ(rank_in_name("rank_0/trace.json"), std::nullopt);
  EXPECT_EQ(rank_in_name("trace.json"), std::nullopt);
  EXPECT_EQ(rank_in_name("7.json"), std::nullopt);
  EXPECT_EQ(rank_in_name("rank99999999999999.json"), std::nullopt);
  EXPECT_EQ(rank_in_name("rank"), std::nullopt);
  EXPECT_EQ(rank_in_name(""), std::nullopt);
}

TEST(RankNumbers, TheTracesComeFirst) {
  auto ranks = files_named({"rank0.json", "rank1.json"});
  ranks[0].rank = 5;
  ranks[1].rank = 4;
  EXPECT_EQ(number_ranks(ranks), run::RanksFrom::kTrace);
  EXPECT_EQ(ranks[0].file, "rank1.json");
  EXPECT_EQ(ranks[0].rank, 4);
}

TEST(RankNumbers, NamesWhereTracesSayTheSameOrNothing) {
  auto ranks = files_named({"rank1.json", "rank0.json"});
  ranks[0].rank = ranks[1].rank = 0;
  EXPECT_EQ(number_ranks(ranks), run::RanksFrom::kFileName);
  EXPECT_EQ(ranks[0].file, "rank0.json");
}

TEST(RankNumbers, ElseTheOrderGiven) {
  auto ranks = files_named({"b/trace.json", "a/trace.json"});
  EXPECT_EQ(number_ranks(ranks), run::RanksFrom::kOrder);
  EXPECT_EQ(ranks[0].file, "b/trace.json");
  EXPECT_EQ(ranks[1].rank, 1);
}

}  // namespace
}  // namespace flatout::analyse
