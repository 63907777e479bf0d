#include "data/feed/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/feed/counted_for_test.h"

namespace flatout::data {
namespace {

// What all ranks draw, in the order of time.
std::vector<std::int64_t> together(std::int64_t samples, OrderOptions options, std::int64_t ranks) {
  std::vector<std::vector<std::int64_t>> own;
  options.ranks = ranks;
  for (options.rank = 0; options.rank < ranks; ++options.rank)
    own.push_back(epoch_order(samples, 3, options));
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < own[0].size(); ++i) {
    for (const auto& rank : own) out.push_back(rank.at(i));
  }
  return out;
}

TEST(Order, InOrderOrEachSampleOnce) {
  EXPECT_EQ(epoch_order(5, 0, {}), counted(5));
  for (const std::int64_t samples : {0, 1, 2, 100, 1000}) {
    auto order = epoch_order(samples, 1, {.shuffle = true, .seed = 4});
    std::ranges::sort(order);
    EXPECT_EQ(order, counted(samples));
  }
}

TEST(Order, SeedAndEpochGiveOrdersOfTheirOwn) {
  std::set<std::vector<std::int64_t>> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::uint32_t epoch = 0; epoch < 4; ++epoch)
      seen.insert(epoch_order(50, epoch, {.shuffle = true, .seed = seed}));
  }
  EXPECT_EQ(seen.size(), 16U);
}

// Chi square of where sample 0 ends up, 9 degrees of freedom: 27.9 is exceeded once in a thousand.
TEST(Order, EveryPlaceIsEquallyLikely) {
  std::vector<int> places(10, 0);
  for (std::uint32_t epoch = 0; epoch < 2000; ++epoch) {
    const auto order = epoch_order(10, epoch, {.shuffle = true, .seed = 1});
    ++places[static_cast<std::size_t>(std::ranges::find(order, 0) - order.begin())];
  }
  double chi_square = 0;
  for (const int count : places) chi_square += (count - 200.0) * (count - 200.0) / 200.0;
  EXPECT_LT(chi_square, 27.9);
}

TEST(Order, AllRanksTogetherDrawWhatOneWould) {
  const OrderOptions options{.shuffle = true, .seed = 2};
  for (const std::int64_t ranks : {2, 3, 4, 6})
    EXPECT_EQ(together(12, options, ranks), epoch_order(12, 3, options)) << ranks;
}

TEST(Order, WhatDoesNotDivideIsDrawnAgainOrLeftOut) {
  const auto whole = epoch_order(10, 3, {.shuffle = true});
  auto again = whole;
  again.insert(again.end(), whole.begin(), whole.begin() + 2);
  EXPECT_EQ(together(10, {.shuffle = true}, 4), again);
  EXPECT_EQ(together(10, {.shuffle = true, .drop_uneven = true}, 4),
            std::vector<std::int64_t>(whole.begin(), whole.begin() + 8));
  EXPECT_EQ(together(2, {}, 5), (std::vector<std::int64_t>{0, 1, 0, 1, 0}));
}

// What is left is what an uninterrupted epoch would have drawn, for any point and, all ranks
// together, any number of ranks.
TEST(Order, WhatIsLeftAfterSomeWereDrawn) {
  for (const bool drop : {false, true}) {
    const OrderOptions options{
        .shuffle = true, .seed = 9, .rank = 1, .ranks = 3, .drop_uneven = drop};
    const auto whole = epoch_order(50, 2, options);
    for (std::size_t each = 0; each <= whole.size(); ++each) {
      const std::vector<std::int64_t> rest(whole.begin() + static_cast<std::ptrdiff_t>(each),
                                           whole.end());
      EXPECT_EQ(epoch_order(50, 2, options, 3 * static_cast<std::int64_t>(each)), rest) << each;
    }
  }
  const OrderOptions alone{.shuffle = true, .seed = 9};
  const auto order = epoch_order(50, 2, alone);
  const auto rest = epoch_order(50, 2, alone, 20);
  EXPECT_EQ(rest, std::vector<std::int64_t>(order.begin() + 20, order.end()));
  std::vector<std::int64_t> two;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    const auto own = epoch_order(50, 2, {.shuffle = true, .seed = 9, .rank = rank, .ranks = 2}, 20);
    two.insert(two.end(), own.begin(), own.end());
  }
  EXPECT_TRUE(std::ranges::is_permutation(two, rest));
  EXPECT_TRUE(epoch_order(50, 2, alone, 50).empty());
  EXPECT_TRUE(epoch_order(50, 2, alone, 1000).empty());
}

}  // namespace
}  // namespace flatout::data
