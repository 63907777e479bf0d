#include "data/transform/chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "data/transform/change/planar.h"
#include "data/transform/resample/resampled.h"

namespace flatout::data::transform {
namespace {

constexpr float kMean[3] = {0.485F, 0.456F, 0.406F};
constexpr float kStd[3] = {0.229F, 0.224F, 0.225F};

ChainOptions training(Size size) {
  ChainOptions options{.steps = {RandomResizedCrop{.size = size}, RandomHorizontalFlip{}}};
  std::memcpy(options.normalization.mean, kMean, sizeof kMean);
  std::memcpy(options.normalization.std, kStd, sizeof kStd);
  return options;
}

std::string refusal(ChainOptions options) {
  const auto chain = Chain::make(std::move(options));
  return chain ? "" : chain.error().message;
}

TEST(Chain, RefusesWhatItCannotDoAndSaysWhere) {
  EXPECT_EQ(refusal({.steps = {RandomHorizontalFlip{}, CenterCrop{{0, 5}}}}),
            "step 2 of the transforms, CenterCrop: the width is 0; it must be 1 to 16384");
  EXPECT_NE(refusal({.steps = {ResizeShorter{256}}}).find("a batch needs one"), std::string::npos);
  EXPECT_NE(refusal({.steps = {}}).find("a batch needs one"), std::string::npos);
  auto bytes = training({8, 8});
  bytes.type = NumberType::kUint8;
  EXPECT_NE(refusal(bytes).find("uint8"), std::string::npos);
  auto many = training({8, 8});
  many.channels = 4;
  EXPECT_NE(refusal(many).find("4 channels"), std::string::npos);
  auto zero = training({8, 8});
  zero.normalization.std[2] = 0;
  EXPECT_NE(refusal(zero).find("channel 2"), std::string::npos);
  EXPECT_NE(refusal({.steps = {Resize{{8, 8}}, RandomErasing{}, CenterCrop{{5, 5}}}})
                .find("step 3 of the transforms, CenterCrop: it comes after RandomErasing"),
            std::string::npos);
  EXPECT_NE(refusal({.steps = {Resize{{8, 8}}, RandomErasing{}, RandomVerticalFlip{}}}), "");
  EXPECT_NE(refusal({.steps = {Resize{{8, 8}}, RandomErasing{}, Grayscale{}}}), "");
  EXPECT_EQ(
      refusal({.steps = {RandomVerticalFlip{}, Resize{{8, 8}}, Grayscale{}, RandomVerticalFlip{},
                         ColorJitter{}, RandomErasing{}, RandomErasing{}}}),
      "");
  EXPECT_NE(refusal({.steps = {Resize{{8, 8}}, RandomErasing{.noise = true}},
                     .type = NumberType::kUint8}),
            "");
  EXPECT_NE(refusal({.steps = {Resize{{8, 8}}, RandomErasing{.value = {0.5F, 0, 0}}},
                     .type = NumberType::kUint8}),
            "");
  EXPECT_NE(refusal({.steps = std::vector<Step>(65, CenterCrop{{5, 5}})}).find("at most 64"),
            std::string::npos);
}

TEST(Chain, KnowsItsShape) {
  const auto chain =
      Chain::make({.steps = {CenterCrop{{30, 30}}, ResizeShorter{20}, RandomVerticalFlip{}},
                   .type = NumberType::kFloat16});
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->shape().width, 20);
  EXPECT_EQ(chain->shape().height, 20);
  EXPECT_EQ(chain->shape().bytes(), 20U * 20 * 3 * 2);
}

TEST(Chain, RefusesPicturesThatAStepCannotTreat) {
  const auto chain = Chain::make({.steps = {RandomHorizontalFlip{}, RandomCrop{.size = {32, 32}}}});
  ASSERT_TRUE(chain);
  const auto plan = chain->plan(31, 40, Draws(0, 0, 0));
  ASSERT_FALSE(plan);
  EXPECT_TRUE(plan.error().message.starts_with("step 2 of the transforms, RandomCrop: "))
      << plan.error().message;
  EXPECT_FALSE(chain->plan(0, 40, Draws(0, 0, 0)));
  EXPECT_FALSE(chain->plan(40, -1, Draws(0, 0, 0)));
  EXPECT_FALSE(chain->plan((1 << 24) + 1, 40, Draws(0, 0, 0)));
  EXPECT_TRUE(chain->plan(32, 32, Draws(0, 0, 0)));
}

// Pixels by the plan's own axes, then torch's operations one after the other: what write() must
// give in every form.
std::vector<float> slow_numbers(const Plan& plan, const MadeUpPicture& picture) {
  Resampler resampler(baseline::kernels());
  Planar planar(resampled(resampler, plan.picture.x, plan.picture.y, picture),
                static_cast<int>(plan.picture.x.length()),
                static_cast<int>(plan.picture.y.length()), picture.channels);
  for (const Change& change : plan.picture.changes)
    change_colours(std::get<ColourChange>(change), baseline::kernels(), planar.pixels);
  const auto pixels = planar.interleaved();
  std::vector<float> numbers;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::size_t channel = picture.channels == 3 ? i % 3 : 0;
    const float unit = static_cast<float>(pixels[i]) / 255.0F;
    const float centred = unit - kMean[channel];
    numbers.push_back(centred / kStd[channel]);
  }
  return numbers;
}

std::vector<std::byte> in_form(const std::vector<float>& numbers, const SampleShape& shape) {
  std::vector<std::byte> bytes(shape.bytes());
  const std::size_t area = numbers.size() / static_cast<std::size_t>(shape.channels);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t channel = i % static_cast<std::size_t>(shape.channels);
    const std::size_t at = shape.layout == Layout::kChannelsLast
                               ? i
                               : channel * area + i / static_cast<std::size_t>(shape.channels);
    if (shape.type == NumberType::kFloat32) {
      std::memcpy(bytes.data() + at * 4, &numbers[i], 4);
    } else {
      const std::uint16_t half =
          shape.type == NumberType::kFloat16 ? float16_bits(numbers[i]) : bfloat16_bits(numbers[i]);
      std::memcpy(bytes.data() + at * 2, &half, 2);
    }
  }
  return bytes;
}

std::vector<std::byte> written(const Chain& chain, const Plan& plan, Scratch& scratch,
                               const MadeUpPicture& picture) {
  const std::size_t bytes = chain.shape().bytes();
  std::vector<std::byte> out(bytes + 64, std::byte{0xCD});
  const MadeUpPicture part = picture.cut(plan.source);
  const auto done = chain.write(part.view(), plan, scratch, out.data());
  EXPECT_TRUE(done) << done.error().message;
  for (std::size_t i = bytes; i < out.size(); ++i) EXPECT_EQ(out[i], std::byte{0xCD});
  out.resize(bytes);
  return out;
}

// One scratch over all sizes, forms and channels.
TEST(Chain, WritesEveryFormOfEverySample) {
  Scratch scratch;
  DrawStream draw = Draws(3, 3, 3).stream(9);
  for (std::uint64_t sample = 0; sample < 48; ++sample) {
    const int side = 1 + static_cast<int>(draw.below(40));
    auto options = training({side, 1 + static_cast<int>(draw.below(40))});
    options.type = static_cast<NumberType>(sample % 3);
    options.layout = static_cast<Layout>(sample / 3 % 2);
    options.channels = sample / 6 % 2 ? 1 : 3;
    if (sample / 12 % 2)
      options.steps.push_back(ColorJitter{{0.5, 1.5}, {0.5, 1.5}, {0.5, 1.5}, {-0.4, 0.4}});
    if (sample / 24 % 2) options.steps.push_back(RandomVerticalFlip{});
    const auto chain = Chain::make(options);
    ASSERT_TRUE(chain);
    const MadeUpPicture picture(1 + static_cast<int>(draw.below(120)),
                                1 + static_cast<int>(draw.below(120)), options.channels, "noise",
                                5);
    const auto plan = chain->plan(picture.width, picture.height, Draws(0, 0, sample));
    ASSERT_TRUE(plan);
    ASSERT_EQ(written(*chain, *plan, scratch, picture),
              in_form(slow_numbers(*plan, picture), chain->shape()))
        << sample;
  }
}

TEST(Chain, Uint8IsThePixelsThemselves) {
  for (const Layout layout : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
    const auto chain =
        Chain::make({.steps = {CenterCrop{{37, 5}}}, .type = NumberType::kUint8, .layout = layout});
    ASSERT_TRUE(chain);
    const MadeUpPicture picture(37, 5, 3, "noise", 8);
    const auto plan = chain->plan(37, 5, Draws(0, 0, 0));
    Scratch scratch;
    const auto out = written(*chain, *plan, scratch, picture);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t at = layout == Layout::kChannelsLast ? i : i % 3 * 37 * 5 + i / 3;
      ASSERT_EQ(out[at], std::byte{picture.bytes[i]});
    }
  }
}

// Inside of the box the value of each channel, outside what was there.
TEST(Chain, ErasesItsBoxAndNothingElse) {
  const MadeUpPicture picture(40, 30, 3, "noise", 8);
  for (std::uint64_t sample = 0; sample < 16; ++sample) {
    ChainOptions options{.steps = {Resize{{21, 13}}},
                         .type = static_cast<NumberType>(sample % 4),
                         .layout = static_cast<Layout>(sample / 4 % 2)};
    const auto plain = Chain::make(options);
    options.steps.push_back(RandomErasing{.probability = 1, .value = {3, 5, 7}});
    const auto chain = Chain::make(options);
    ASSERT_TRUE(plain);
    ASSERT_TRUE(chain);
    const auto plan = chain->plan(40, 30, Draws(0, 0, sample));
    ASSERT_EQ(plan->picture.erasures.size(), 1U);
    const Box box = plan->picture.erasures[0].box;
    Scratch scratch;
    const auto before =
        written(*plain, *plain->plan(40, 30, Draws(0, 0, sample)), scratch, picture);
    const auto got = written(*chain, *plan, scratch, picture);
    const std::size_t size = bytes_of(options.type);
    for (int i = 0; i < 21 * 13 * 3; ++i) {
      const bool last = options.layout == Layout::kChannelsLast;
      const int channel = last ? i % 3 : i / (21 * 13), pixel = last ? i / 3 : i % (21 * 13);
      const int x = pixel % 21 - box.left, y = pixel / 21 - box.top;
      const auto* number = got.data() + static_cast<std::size_t>(i) * size;
      if (x < 0 || x >= box.width || y < 0 || y >= box.height) {
        ASSERT_EQ(std::memcmp(number, before.data() + static_cast<std::size_t>(i) * size, size), 0)
            << i;
        continue;
      }
      const float value = static_cast<float>(3 + 2 * channel);
      std::byte expected[4];
      const std::uint16_t half =
          options.type == NumberType::kFloat16 ? float16_bits(value) : bfloat16_bits(value);
      std::memcpy(expected, &half, 2);
      if (options.type == NumberType::kFloat32) std::memcpy(expected, &value, 4);
      if (options.type == NumberType::kUint8)
        expected[0] = std::byte{static_cast<std::uint8_t>(value)};
      ASSERT_EQ(std::memcmp(number, expected, size), 0) << i;
    }
  }
}

TEST(Chain, NoiseIsTheSamplesOwnWhateverTheLayout) {
  const MadeUpPicture picture(40, 30, 3, "noise", 8);
  Scratch scratch;
  const auto numbers = [&](Layout layout, std::uint64_t sample) {
    const auto chain =
        Chain::make({.steps = {Resize{{20, 20}},
                               RandomErasing{.probability = 1, .scale_low = 0.3, .noise = true}},
                     .layout = layout});
    const auto bytes = written(*chain, *chain->plan(40, 30, Draws(0, 0, sample)), scratch, picture);
    std::vector<float> all(bytes.size() / 4);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t from = layout == Layout::kChannelsLast ? i % 400 * 3 + i / 400 : i;
      std::memcpy(&all[i], bytes.data() + from * 4, 4);
    }
    return all;
  };
  const auto first = numbers(Layout::kChannelsFirst, 1);
  EXPECT_EQ(numbers(Layout::kChannelsLast, 1), first);
  EXPECT_NE(numbers(Layout::kChannelsFirst, 2), first);
  EXPECT_TRUE(std::ranges::any_of(first, [](float number) { return number < 0; }));
}

TEST(Chain, RowsMayLieApart) {
  const auto chain = Chain::make(training({16, 16}));
  const MadeUpPicture picture(64, 48, 3, "noise", 2);
  const auto plan = chain->plan(64, 48, Draws(0, 0, 4));
  Scratch scratch;
  const auto expected = written(*chain, *plan, scratch, picture);
  PixelView within = picture.view();
  within.data += plan->source.top * within.stride + std::ptrdiff_t{plan->source.left} * 3;
  within.width = plan->source.width;
  within.height = plan->source.height;
  std::vector<std::byte> out(chain->shape().bytes());
  ASSERT_TRUE(chain->write(within, *plan, scratch, out.data()));
  EXPECT_EQ(out, expected);
}

TEST(Chain, RefusesPixelsThatAreNotThePlans) {
  const auto chain = Chain::make(training({16, 16}));
  const auto plan = chain->plan(64, 48, Draws(0, 0, 4));
  const MadeUpPicture whole(64, 48, 3, "noise", 2);
  MadeUpPicture grey = whole.cut(plan->source);
  grey.channels = 1;
  Scratch scratch;
  std::vector<std::byte> out(chain->shape().bytes(), std::byte{7});
  EXPECT_FALSE(chain->write(whole.view(), *plan, scratch, out.data()));
  EXPECT_FALSE(chain->write(grey.view(), *plan, scratch, out.data()));
  EXPECT_EQ(out, std::vector<std::byte>(out.size(), std::byte{7}));
}

TEST(Chain, BoundsThePictureBetweenTwoSteps) {
  const auto chain =
      Chain::make({.steps = {Resize{{kMostSide, kMostSide}}, Grayscale{}, ResizeShorter{kMostSide},
                             RandomRotation{}, CenterCrop{{8, 8}}}});
  ASSERT_TRUE(chain);
  EXPECT_TRUE(chain->plan(10, 10, Draws(0, 0, 0)));
  const auto larger = Chain::make(
      {.steps = {RandomCrop{.size = {kMostSide, kMostSide}, .pad_if_needed = true},
                 RandomRotation{.degrees = {45, 45}, .expand = true}, CenterCrop{{8, 8}}}});
  ASSERT_TRUE(larger);
  const auto plan = larger->plan(10, 10, Draws(0, 0, 0));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, base::ErrorCode::kTooLarge);
}

// What is turned and turned back by quarters, with crops and flips between, is the picture.
TEST(Chain, LayersFollowOnEachOther) {
  const MadeUpPicture picture(37, 21, 3, "noise", 8);
  const RandomRotation quarter{.degrees = {90, 90}, .expand = true};
  const auto chain = Chain::make(
      {.steps = {quarter, RandomHorizontalFlip{1}, quarter, RandomVerticalFlip{1}, quarter,
                 RandomHorizontalFlip{1}, quarter, RandomVerticalFlip{1}, CenterCrop{{37, 21}}},
       .type = NumberType::kUint8,
       .layout = Layout::kChannelsLast});
  ASSERT_TRUE(chain);
  const auto plan = chain->plan(37, 21, Draws(0, 0, 0));
  EXPECT_EQ(plan->picture.before.size(), 4U);
  EXPECT_EQ(plan->source, (Box{0, 0, 37, 21}));
  Scratch scratch;
  const auto out = written(*chain, *plan, scratch, picture);
  EXPECT_EQ(std::memcmp(out.data(), picture.bytes.data(), out.size()), 0);
}

// A box of a picture that was kept whole.
TEST(Chain, ALayerMayNeedAPartOfTheOneBefore) {
  const MadeUpPicture picture(37, 21, 3, "noise", 8);
  const auto chain =
      Chain::make({.steps = {ColorJitter{.brightness = {0.5, 0.5}}, CenterCrop{{9, 5}}},
                   .type = NumberType::kUint8,
                   .layout = Layout::kChannelsLast});
  const auto plan = chain->plan(37, 21, Draws(0, 0, 0));
  Scratch scratch;
  const auto out = written(*chain, *plan, scratch, picture);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = 8 + i / 27, column = 14 + i % 27 / 3;
    EXPECT_EQ(std::to_integer<int>(out[i]), picture.bytes[(row * 37 + column) * 3 + i % 3] / 2);
  }
}

TEST(Chain, AStepAtTheEndDoesNotChangeWhatOthersDraw) {
  const auto shorter = Chain::make({.steps = {RandomResizedCrop{.size = {16, 16}}}});
  const auto longer =
      Chain::make({.steps = {RandomResizedCrop{.size = {16, 16}}, RandomHorizontalFlip{},
                             RandomCrop{.size = {16, 16}}}});
  int flips = 0;
  for (std::uint64_t sample = 0; sample < 100; ++sample) {
    const auto a = shorter->plan(300, 200, Draws(1, 2, sample));
    const auto b = longer->plan(300, 200, Draws(1, 2, sample));
    EXPECT_EQ(a->source, b->source);
    flips += a->picture.x == b->picture.x ? 0 : 1;
  }
  EXPECT_GT(flips, 20);
  EXPECT_LT(flips, 80);
}

TEST(Chain, PlansAreTheSamplesOwn) {
  const auto chain = Chain::make(training({16, 16}));
  const auto box = [&](std::uint64_t seed, std::uint32_t epoch, std::uint64_t sample) {
    return chain->plan(300, 200, Draws(seed, epoch, sample))->source;
  };
  EXPECT_EQ(box(1, 2, 3), box(1, 2, 3));
  EXPECT_NE(box(1, 2, 3), box(1, 2, 4));
  EXPECT_NE(box(1, 2, 3), box(1, 3, 3));
  EXPECT_NE(box(1, 2, 3), box(2, 2, 3));
}

// Strips and single pixels: memory follows the box and the result, not the product of what a header
// may claim.
TEST(Chain, HostileSizesStayWithinMemory) {
  const std::vector<std::vector<Step>> chains = {
      {RandomResizedCrop{.size = {224, 224}}},
      {Resize{{224, 224}}},
      {ResizeShorter{256}, CenterCrop{{224, 224}}},
      {CenterCrop{{224, 224}}},
      {RandomCrop{.size = {224, 224}, .pad_if_needed = true}},
  };
  const Size sizes[] = {{1, 1},       {1, 5000},    {5000, 1},   {65'535, 1},
                        {1, 65'535},  {65'535, 3},  {3, 65'535}, {224, 224},
                        {1 << 18, 1}, {1, 1 << 18}, {1 << 14, 1}};
  for (const auto& steps : chains) {
    const auto chain = Chain::make({.steps = steps});
    ASSERT_TRUE(chain);
    for (const Size size : sizes) {
      const auto plan = chain->plan(size.width, size.height, Draws(0, 0, 0));
      ASSERT_TRUE(plan) << plan.error().message;
      const MadeUpPicture part(plan->source.width, plan->source.height, 3, "noise", 1);
      Scratch scratch;
      std::vector<std::byte> out(chain->shape().bytes());
      ASSERT_TRUE(chain->write(part.view(), *plan, scratch, out.data()));
      // Two taps need 128 bytes, and there are about two for every pixel of the longer of source
      // and result; the ring is a share of the source as wide as the result.
      const auto longest = static_cast<std::size_t>(std::max({part.width, part.height, 224}));
      EXPECT_LE(scratch.memory_bytes(), longest * 192 + 65'536)
          << size.width << " x " << size.height;
    }
  }
}

}  // namespace
}  // namespace flatout::data::transform
