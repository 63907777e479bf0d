#include "data/draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace flatout::data {
namespace {

using Words4 = std::array<std::uint32_t, 4>;

// The known answers that the paper's authors publish with Random123 for philox4x32, 10 rounds.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Words4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Draws, StreamStartsAtItsCounter) {
  DrawStream stream = Draws(0x299f31d0a4093822, 7, 0x0370734413198a2e).stream(3);
  const Words4 expected =
      philox4x32({3U << 24, 7, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0});
  for (const std::uint32_t word : expected) EXPECT_EQ(stream.bits(), word);
  EXPECT_EQ(stream.bits(),
            philox4x32({3U << 24 | 1, 7, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0})[0]);
}

TEST(Draws, AnyPartOfTheNameMakesAnotherStream) {
  std::set<std::uint64_t> firsts;
  int streams = 0;
  for (std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32}) {
    for (std::uint32_t epoch = 0; epoch < 3; ++epoch) {
      for (std::uint64_t sample : {0ULL, 1ULL, 1ULL << 32, 1ULL << 63}) {
        for (int position = 0; position < Draws::kStreams; position += 51) {
          DrawStream stream = Draws(seed, epoch, sample).stream(position);
          const std::uint64_t high = stream.bits();
          firsts.insert(high << 32 | stream.bits());
          ++streams;
        }
      }
    }
  }
  EXPECT_EQ(firsts.size(), static_cast<std::size_t>(streams));
}

// A sample's numbers are the same whichever samples were drawn before it and however far other
// streams went.
TEST(Draws, OrderOfAskingDoesNotMatter) {
  const auto drawn = [](std::uint64_t sample) { return Draws(5, 1, sample).stream(2).uniform(); };
  std::vector<double> forwards;
  for (std::uint64_t sample = 0; sample < 50; ++sample) forwards.push_back(drawn(sample));
  const Draws last(5, 1, 49);
  DrawStream other = last.stream(1);
  for (int i = 0; i < 9; ++i) (void)other.bits();
  EXPECT_EQ(last.stream(2).uniform(), forwards[49]);
  for (std::uint64_t sample = 50; sample-- > 0;) EXPECT_EQ(drawn(sample), forwards[sample]);
}

// Chi-squared over 100 equal parts. 99 degrees of freedom: 200 is exceeded with a probability below
// 1e-8.
double chi_squared(const std::vector<int>& counts) {
  double total = 0;
  for (const int count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(Draws, UniformIsEvenOverSamplesAndWithinAStream) {
  std::vector<int> over_samples(100), within(100);
  DrawStream one = Draws(11, 0, 0).stream(0);
  for (std::uint64_t sample = 0; sample < 20'000; ++sample) {
    ++over_samples[static_cast<std::size_t>(Draws(11, 0, sample).stream(0).uniform() * 100)];
    ++within[static_cast<std::size_t>(one.uniform() * 100)];
  }
  EXPECT_LT(chi_squared(over_samples), 200);
  EXPECT_LT(chi_squared(within), 200);
}

TEST(Draws, BelowIsEvenAndInRange) {
  for (const std::uint32_t count : {1U, 2U, 3U, 7U, 100U}) {
    std::vector<int> counts(count);
    DrawStream stream = Draws(3, 1, count).stream(0);
    for (int i = 0; i < 20'000; ++i) ++counts.at(stream.below(count));
    EXPECT_LT(chi_squared(counts), 200) << count;
  }
  // Of 3 * 2^30 numbers every third one would come twice as often if no word were rejected.
  std::vector<int> thirds(3);
  DrawStream stream = Draws(3, 1, 0).stream(0);
  for (int i = 0; i < 20'000; ++i) ++thirds.at(stream.below(3U << 30) % 3);
  EXPECT_LT(chi_squared(thirds), 60);
}

TEST(Draws, NormalHasTheMomentsAndTailsOfANormal) {
  DrawStream stream = Draws(9, 9, 9).stream(1);
  constexpr int kCount = 40'000;
  double sum = 0, squares = 0, fourths = 0;
  int beyond_two = 0;
  for (int i = 0; i < kCount; ++i) {
    const double value = stream.normal();
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
    beyond_two += std::abs(value) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.025);  // five standard deviations each
  EXPECT_NEAR(squares / kCount, 1, 0.036);
  EXPECT_NEAR(fourths / kCount, 3, 0.25);
  EXPECT_NEAR(beyond_two, 0.0455 * kCount, 210);
}

TEST(Draws, UniformRangeHoldsItsBounds) {
  DrawStream stream = Draws(1, 2, 3).stream(4);
  EXPECT_EQ(stream.uniform(0.5, 0.5), 0.5);
  const double low = 1;
  const double next = std::nextafter(low, 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(stream.uniform(low, next), low);
  for (int i = 0; i < 1000; ++i) {
    const double value = stream.uniform(-3, 5);
    EXPECT_GE(value, -3);
    EXPECT_LT(value, 5);
  }
}

}  // namespace
}  // namespace flatout::data
