#include "data/feed/batch_mix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "data/transform/sample/levels.h"

namespace flatout::data {
namespace {

using transform::Layout;
using transform::NumberType;
using transform::SampleShape;

constexpr int kDraws = 20'000;

// Mean and variance of Beta(a, a), and its even halves; five standard deviations.
TEST(DrawnShare, IsBetaDistributed) {
  for (const double alpha : {0.05, 0.2, 1.0, 8.0}) {
    double sum = 0, squares = 0;
    int below = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      DrawStream stream = Draws(1, 2, i).stream(255);
      const auto share = static_cast<double>(drawn_share(stream, alpha));
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1);
      sum += share;
      squares += (share - 0.5) * (share - 0.5);
      below += share < 0.25 ? 1 : 0;
    }
    const double variance = 1 / (4 * (2 * alpha + 1));
    const double kurtosis = 3 * (2 * alpha + 1) / (2 * alpha + 3);  // fourth moment over variance^2
    EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(variance / kDraws)) << alpha;
    EXPECT_NEAR(squares / kDraws, variance, 5 * variance * std::sqrt((kurtosis - 1) / kDraws))
        << alpha;
    if (alpha != 1) continue;
    EXPECT_NEAR(below, kDraws / 4, 5 * std::sqrt(kDraws * 3.0 / 16));
  }
}

TEST(DrawMix, ABoxIsAsLargeAsItsShareUnlessAnEdgeCutsIt) {
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const MixPlan plan =
        draw_mix({{{Mix::Kind::kCutMix, 1}}, {}, 3}, 50, 40, Draws(1, 2, i).stream(255));
    EXPECT_GE(plan.box.left, 0);
    EXPECT_GE(plan.box.top, 0);
    EXPECT_LE(plan.box.left + plan.box.width, 50);
    EXPECT_LE(plan.box.top + plan.box.height, 40);
    EXPECT_DOUBLE_EQ(plan.kept, 1 - plan.box.width * plan.box.height / 2000.0);
  }
}

TEST(DrawMix, EachKindIsEquallyLikely) {
  int cut = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    cut += draw_mix({{{Mix::Kind::kMixUp, 1}, {Mix::Kind::kCutMix, 1}}, {}, 3}, 5, 4,
                    Draws(1, 2, i).stream(255))
                       .kind == Mix::Kind::kCutMix
               ? 1
               : 0;
  EXPECT_NEAR(cut, 5000, 250);
}

// Three samples of 2 x 2 pixels in each type and layout, mixed with the one before.
TEST(MixSamples, EachTakesFromTheOneBeforeAndTheFirstFromTheLast) {
  for (const NumberType type :
       {NumberType::kFloat32, NumberType::kFloat16, NumberType::kBfloat16}) {
    const auto bits = [&](float number) {
      return type == NumberType::kFloat16 ? transform::float16_bits(number)
                                          : transform::bfloat16_bits(number);
    };
    const SampleShape shape{2, 2, 3, type, Layout::kChannelsFirst};
    std::vector<std::byte> samples(3 * shape.bytes());
    const auto put = [&](std::vector<std::byte>& to, std::size_t sample, float number) {
      for (std::size_t i = 0; i < 12; ++i) {
        std::byte* const at = to.data() + sample * shape.bytes() + i * bytes_of(type);
        const std::uint16_t half = bits(number);
        type == NumberType::kFloat32 ? std::memcpy(at, &number, 4) : std::memcpy(at, &half, 2);
      }
    };
    std::vector<std::byte> expected = samples;
    for (std::size_t i = 0; i < 3; ++i) put(samples, i, static_cast<float>(i) * 4 - 4);
    put(expected, 0, 0.25F * -4 + 0.75F * 4);
    put(expected, 1, 0.75F * -4);
    put(expected, 2, 0.25F * 4);
    mix_samples({.kind = Mix::Kind::kMixUp, .share = 0.25F}, shape, 3, samples.data());
    EXPECT_EQ(samples, expected) << static_cast<int>(type);
  }
}

TEST(MixSamples, ABoxComesFromTheOneBefore) {
  for (const Layout layout : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
    const SampleShape shape{5, 4, 3, NumberType::kUint8, layout};
    std::vector<std::byte> samples(3 * shape.bytes());
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = static_cast<std::byte>(i / shape.bytes());
    mix_samples({.kind = Mix::Kind::kCutMix, .box = {1, 2, 3, 2}}, shape, 3, samples.data());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::size_t sample = i / shape.bytes(), within = i % shape.bytes();
      const std::size_t pixel = layout == Layout::kChannelsLast ? within / 3 : within % 20;
      const std::size_t x = pixel % 5, y = pixel / 5;
      const bool inside = x >= 1 && x < 4 && y >= 2;
      EXPECT_EQ(samples[i], static_cast<std::byte>(inside ? (sample + 2) % 3 : sample)) << i;
    }
  }
}

TEST(MixLabels, AreSharesOfClasses) {
  const std::int64_t labels[] = {2, 0, 0};
  EXPECT_EQ(mix_labels({.kept = 0.75}, 3, labels).value(),
            (std::vector<float>{0.25F, 0, 0.75F, 0.75F, 0, 0.25F, 1, 0, 0}));
  const std::int64_t wrong[] = {0, 3};
  EXPECT_EQ(mix_labels({}, 3, wrong).error().message,
            "label 3 is none of the 3 classes that labels are mixed over");
}

// timm's: the first with the last, both from what they were.
TEST(MirrorMix, PairsFromBothEnds) {
  const SampleShape shape{2, 2, 3, NumberType::kUint8, Layout::kChannelsFirst};
  std::vector<std::byte> samples(4 * shape.bytes());
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<std::byte>(10 * (i / shape.bytes()));
  const auto first_of = [&](std::size_t sample) {
    return static_cast<int>(samples[sample * shape.bytes()]);
  };
  mix_samples({.share = 0.25F, .mirrored = true}, shape, 4, samples.data());
  EXPECT_EQ(first_of(0), 22);  // 22.5: ties go to the even one
  EXPECT_EQ(first_of(1), 18);  // 17.5
  EXPECT_EQ(first_of(2), 12);  // 12.5
  EXPECT_EQ(first_of(3), 8);   // 7.5
  mix_samples({.kind = Mix::Kind::kCutMix, .box = {0, 0, 1, 2}, .mirrored = true}, shape, 4,
              samples.data());
  EXPECT_EQ(first_of(0), 8);
  EXPECT_EQ(first_of(3), 22);
  EXPECT_EQ(static_cast<int>(samples[1]), 22);  // beside the box
}

TEST(MirrorMix, LabelsAreSmoothed) {
  const std::int64_t labels[] = {0, 2, 2, 1};
  const auto shares =
      mix_labels({.kept = 0.75, .mirrored = true, .smoothing = 0.3}, 3, labels).value();
  const float expected[] = {0.625F, 0.275F, 0.1F, 0.1F, 0.1F, 0.8F};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_NEAR(shares[i], expected[i], 1e-6) << i;
  const std::int64_t odd[] = {0, 1, 2};
  EXPECT_FALSE(mix_labels({.mirrored = true}, 3, odd));
}

TEST(MirrorMix, HappensAsOftenAsAsked) {
  int mixed = 0, cut = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const MixPlan plan = draw_mix({.mirror = MirrorMix{.mixup_alpha = 1,
                                                       .cutmix_alpha = 1,
                                                       .probability = 0.8,
                                                       .switch_probability = 0.25}},
                                  50, 40, Draws(1, 2, i).stream(255));
    mixed += plan.share < 1 ? 1 : 0;
    cut += plan.kind == Mix::Kind::kCutMix ? 1 : 0;
    if (plan.kind != Mix::Kind::kCutMix) continue;
    EXPECT_GE(plan.box.left, 0);
    EXPECT_LE(plan.box.top + plan.box.height, 40);
    EXPECT_DOUBLE_EQ(plan.kept, 1 - plan.box.width * plan.box.height / 2000.0);
  }
  EXPECT_NEAR(mixed, 8000, 200);
  EXPECT_NEAR(cut, 2000, 200);
}

TEST(MixOptions, RefuseWhatCannotBe) {
  EXPECT_TRUE(check(MixOptions{}, NumberType::kUint8));
  EXPECT_TRUE(check(MixOptions{{{Mix::Kind::kCutMix, 1}}, {}, 3}, NumberType::kUint8));
  EXPECT_FALSE(check(MixOptions{{{Mix::Kind::kMixUp, 1}}, {}, 3}, NumberType::kUint8));
  EXPECT_FALSE(check(MixOptions{{{Mix::Kind::kMixUp, 1}}, {}, 0}, NumberType::kFloat32));
  EXPECT_FALSE(check(MixOptions{{{Mix::Kind::kMixUp, 0}}, {}, 3}, NumberType::kFloat32));
  EXPECT_FALSE(check(MixOptions{{{Mix::Kind::kMixUp, NAN}}, {}, 3}, NumberType::kFloat32));
  const MirrorMix mirror{};
  EXPECT_TRUE(check(MixOptions{.mirror = mirror, .classes = 3}, NumberType::kUint8));
  EXPECT_FALSE(check(MixOptions{.mirror = mirror, .classes = 3}, NumberType::kFloat32));
  EXPECT_FALSE(check(MixOptions{{{Mix::Kind::kCutMix, 1}}, mirror, 3}, NumberType::kUint8));
  EXPECT_FALSE(
      check(MixOptions{.mirror = MirrorMix{.mixup_alpha = 0}, .classes = 3}, NumberType::kUint8));
}

}  // namespace
}  // namespace flatout::data
