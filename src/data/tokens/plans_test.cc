// Which samples lie together: packed documents and batches of like length, for documents that are
// drawn at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "data/draws.h"
#include "data/tokens/bucket_plan.h"
#include "data/tokens/pack_plan.h"

namespace flatout::data {
namespace {

std::vector<std::int64_t> drawn_bounds(std::uint64_t seed, std::uint32_t documents) {
  DrawStream draw = Draws(seed, 0, 0).stream(0);
  std::vector<std::int64_t> out{3};
  for (std::uint32_t i = 0; i < documents; ++i)
    out.push_back(out.back() + draw.below(1 + draw.below(40)));  // many short ones, some empty
  out.push_back(out.back() + 1);
  return out;
}

TEST(PackPlan, EveryTokenOnceAndNoSequenceTooLong) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto bounds = drawn_bounds(seed, 1 + static_cast<std::uint32_t>(seed) * 5);
    const Documents documents(bounds);
    for (const std::int64_t length : {1, 7, 32, 1000}) {
      for (const PackMethod method : {PackMethod::kConcat, PackMethod::kFirstFit}) {
        const PackPlan plan = plan_packing(documents, length, method);
        std::vector<int> taken(static_cast<std::size_t>(bounds.back()));
        std::int64_t begin = 0;
        for (const std::int64_t end : plan.ends) {
          ASSERT_GT(end, begin);
          std::int64_t tokens = 0;
          for (; begin < end; ++begin) {
            const PackedPiece& piece = plan.pieces[static_cast<std::size_t>(begin)];
            tokens += piece.tokens;
            for (int i = 0; i < piece.tokens; ++i)
              ++taken[static_cast<std::size_t>(piece.begin + i)];
            const bool ends = std::ranges::binary_search(bounds, piece.begin + piece.tokens);
            ASSERT_EQ(piece.goes_on, !ends);
            ASSERT_TRUE(ends || piece.tokens == length || method == PackMethod::kConcat)
                << "only a document longer than a sequence is cut";
          }
          ASSERT_LE(tokens, length);
        }
        ASSERT_EQ(begin, std::ssize(plan.pieces));
        EXPECT_EQ(std::ranges::count(taken.begin() + 3, taken.end(), 1), bounds.back() - 3);
      }
    }
  }
}

// Samples of three lengths: which bucket depends on the number.
std::size_t bucket_of(std::int64_t sample) { return static_cast<std::size_t>(sample * 7 % 5 % 3); }

std::vector<std::int64_t> shuffled(std::int64_t samples) {
  return epoch_order(samples, 1, {.shuffle = true, .seed = 9});
}

TEST(BucketPlan, BatchesAreOfOneBucketAndWholeButForTheLast) {
  for (const std::int64_t samples : {0, 1, 2, 16, 17, 100, 1001}) {
    const auto order = shuffled(samples);
    const EpochPlan plan = plan_buckets(order, bucket_of, {3, 8, false}, {}, 0);
    std::size_t begin = 0;
    std::size_t small = 0;
    for (const std::size_t end : plan.ends) {
      for (std::size_t i = begin; i < end; ++i)
        EXPECT_EQ(bucket_of(plan.order[i]), bucket_of(plan.order[begin]));
      small += end - begin < 8 ? 1 : 0;
      begin = end;
    }
    EXPECT_LE(small, 3U);
    EXPECT_EQ(begin, plan.order.size());
    auto sorted = plan.order;
    std::ranges::sort(sorted);
    for (std::int64_t i = 0; i < samples; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
    const EpochPlan whole = plan_buckets(order, bucket_of, {3, 8, true}, {}, 0);
    EXPECT_EQ(whole.order.size(), whole.ends.size() * 8);
    EXPECT_EQ(whole.ends.size(), plan.ends.size() - small);
  }
}

// Ranks stop together after some batches, and as many others go on: what they have had and what
// they get is an epoch, each sample once.
TEST(BucketPlan, GoesOnWithAnotherNumberOfRanks) {
  constexpr std::int64_t kSamples = 203;
  const auto order = shuffled(kSamples);
  const BucketOptions buckets{3, 8, false};
  for (std::int64_t ranks = 1; ranks < 5; ++ranks) {
    for (std::int64_t others = 1; others < 5; ++others) {
      const auto turns = plan_buckets(order, bucket_of, buckets, {.ranks = ranks}, 0).ends.size();
      for (std::size_t taken = 0; taken <= turns; ++taken) {
        std::map<std::int64_t, int> had;
        std::int64_t drawn = 0;
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          const EpochPlan plan =
              plan_buckets(order, bucket_of, buckets, {.rank = rank, .ranks = ranks}, 0);
          ASSERT_EQ(plan.ends.size(), turns);
          ASSERT_EQ(plan.drawn.size(), turns);
          if (taken > 0) drawn = plan.drawn[taken - 1];
          for (std::size_t i = 0; taken > 0 && i < plan.ends[taken - 1]; ++i) ++had[plan.order[i]];
        }
        ASSERT_LE(drawn, kSamples);
        for (std::int64_t rank = 0; rank < others; ++rank) {
          const EpochPlan plan =
              plan_buckets(order, bucket_of, buckets, {.rank = rank, .ranks = others}, drawn);
          for (const std::int64_t sample : plan.order) ++had[sample];
        }
        ASSERT_EQ(std::ssize(had), kSamples) << ranks << " " << others << " " << taken;
      }
    }
  }
}

}  // namespace
}  // namespace flatout::data
