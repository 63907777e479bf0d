// RandAugment, TrivialAugmentWide and AutoAugment: the same operations, drawn in three ways.
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "data/transform/steps/augment/augment_steps.h"

namespace flatout::data::transform {
namespace {

using Kind = ColourChange::Kind;

enum class Operation : std::uint8_t {
  kIdentity,
  kShearX,
  kShearY,
  kTranslateX,
  kTranslateY,
  kRotate,
  kBrightness,
  kColor,
  kContrast,
  kSharpness,
  kPosterize,
  kSolarize,
  kAutoContrast,
  kEqualize,
  kInvert,  // of AutoAugment alone
};
constexpr std::uint32_t kDrawnOperations = 14;  // without the last

constexpr int kLeastBins = 2;
constexpr int kMostBins = 1 << 20;
constexpr int kMostOperations = 64;

// The largest magnitude of each operation.
struct Space {
  double shear;
  double translate_x;  // pixels
  double translate_y;
  double degrees;
  double enhance;
  double posterize;  // bits that are taken
};

// RandAugment's and AutoAugment's; 150 of 331 pixels are AutoAugment's share of ImageNet's
// pictures.
Space space_of(const Picture& picture) {
  return {0.3,
          150.0 / 331.0 * static_cast<double>(picture.width()),
          150.0 / 331.0 * static_cast<double>(picture.height()),
          30,
          0.9,
          4};
}
constexpr Space kWide = {0.99, 32, 32, 135, 0.99, 6};

// torch.linspace(low, high, bins)[bin] of float32: from the nearer end, rounded once.
float spaced(double low, double high, int bins, int bin) {
  const auto first = static_cast<float>(low), last = static_cast<float>(high);
  const float step = (last - first) / static_cast<float>(bins - 1);
  return bin < bins / 2 ? std::fma(step, static_cast<float>(bin), first)
                        : std::fma(-step, static_cast<float>(bins - 1 - bin), last);
}

// What is drawn of an operation.
struct Turn {
  Operation operation;
  int bin;
  bool negative;  // where it has a sign
};

struct Policy {
  Space space;
  int bins;
  WarpStyle style;
  Torchvision rounding;
};

double degrees_of(double tangent) { return std::atan(tangent) * (180.0 / std::numbers::pi); }

int posterize_bits(const Policy& policy, int bin) {
  const auto per_bit = static_cast<float>((policy.bins - 1) / policy.space.posterize);
  return 8 - static_cast<int>(std::nearbyint(static_cast<float>(bin) / per_bit));
}

// A whole number, since values are.
float solarize_bound(const Policy& policy, int bin) {
  if (policy.rounding == Torchvision::kV1) return std::ceil(spaced(255, 0, policy.bins, bin));
  const double unit = static_cast<double>(spaced(1, 0, policy.bins, bin));
  return static_cast<float>(std::ceil(255.0 * unit));
}

void affine_about(Point centre, Point translate, Point shear, const WarpStyle& style,
                  Picture& picture) {
  picture.changes.emplace_back(
      affine(static_cast<int>(picture.width()), static_cast<int>(picture.height()),
             {.centre = centre, .translate = translate, .shear = shear}, style));
}

void move(const Policy& policy, const Turn& turn, Picture& picture) {
  const Space& space = policy.space;
  const auto signed_of = [&](double most) {
    const auto magnitude = static_cast<double>(spaced(0, most, policy.bins, turn.bin));
    return turn.negative ? -magnitude : magnitude;
  };
  const Point middle{static_cast<double>(picture.width()) * 0.5,
                     static_cast<double>(picture.height()) * 0.5};
  switch (turn.operation) {
    case Operation::kShearX:
      return affine_about({}, {}, {degrees_of(signed_of(space.shear)), 0}, policy.style, picture);
    case Operation::kShearY:
      return affine_about({}, {}, {0, degrees_of(signed_of(space.shear))}, policy.style, picture);
    case Operation::kTranslateX:
      return affine_about(middle, {std::trunc(signed_of(space.translate_x)), 0}, {}, policy.style,
                          picture);
    case Operation::kTranslateY:
      return affine_about(middle, {0, std::trunc(signed_of(space.translate_y))}, {}, policy.style,
                          picture);
    default:
      const auto warp =
          rotation(static_cast<int>(picture.width()), static_cast<int>(picture.height()),
                   signed_of(space.degrees), false, std::nullopt, policy.style);
      if (warp) picture.changes.emplace_back(*warp);
  }
}

void perform(const Policy& policy, const Turn& turn, Picture& picture) {
  const auto enhance = [&] {
    const auto magnitude =
        static_cast<double>(spaced(0, policy.space.enhance, policy.bins, turn.bin));
    return static_cast<float>(1.0 + (turn.negative ? -magnitude : magnitude));
  };
  const auto colour = [&](Kind kind, float factor = 1) {
    picture.changes.emplace_back(ColourChange{kind, factor});
  };
  switch (turn.operation) {
    case Operation::kIdentity:
      return;
    case Operation::kBrightness:
      return colour(Kind::kBrightness, enhance());
    case Operation::kColor:
      return colour(Kind::kSaturation, enhance());
    case Operation::kContrast:
      return colour(Kind::kContrast, enhance());
    case Operation::kSharpness:
      picture.changes.emplace_back(Sharpening{enhance()});
      return;
    case Operation::kPosterize:
      return colour(Kind::kPosterize, static_cast<float>(posterize_bits(policy, turn.bin)));
    case Operation::kSolarize:
      return colour(Kind::kSolarize, solarize_bound(policy, turn.bin));
    case Operation::kAutoContrast:
      return colour(Kind::kAutoContrast);
    case Operation::kEqualize:
      return colour(Kind::kEqualize);
    case Operation::kInvert:
      return colour(Kind::kInvert);
    default:
      return move(policy, turn, picture);
  }
}

bool drawn_sign(DrawStream& stream) { return stream.below(2) == 1; }

base::Result<void> bins_within(int bins) {
  if (bins >= kLeastBins && bins <= kMostBins) return {};
  return base::fail(base::ErrorCode::kInvalid, "the magnitude's bins are " + std::to_string(bins) +
                                                   "; they must be " + std::to_string(kLeastBins) +
                                                   " to " + std::to_string(kMostBins));
}

// AutoAugment: an operation, its probability in tenths, its magnitude of ten.
struct Learned {
  Operation operation;
  int tenths;
  int bin;
};
struct Pair {
  Learned first;
  Learned second;
};

using enum Operation;

constexpr Pair kImagenet[] = {
    {{kPosterize, 4, 8}, {kRotate, 6, 9}},  {{kSolarize, 6, 5}, {kAutoContrast, 6, 0}},
    {{kEqualize, 8, 0}, {kEqualize, 6, 0}}, {{kPosterize, 6, 7}, {kPosterize, 6, 6}},
    {{kEqualize, 4, 0}, {kSolarize, 2, 4}}, {{kEqualize, 4, 0}, {kRotate, 8, 8}},
    {{kSolarize, 6, 3}, {kEqualize, 6, 0}}, {{kPosterize, 8, 5}, {kEqualize, 10, 0}},
    {{kRotate, 2, 3}, {kSolarize, 6, 8}},   {{kEqualize, 6, 0}, {kPosterize, 4, 6}},
    {{kRotate, 8, 8}, {kColor, 4, 0}},      {{kRotate, 4, 9}, {kEqualize, 6, 0}},
    {{kEqualize, 0, 0}, {kEqualize, 8, 0}}, {{kInvert, 6, 0}, {kEqualize, 10, 0}},
    {{kColor, 6, 4}, {kContrast, 10, 8}},   {{kRotate, 8, 8}, {kColor, 10, 2}},
    {{kColor, 8, 8}, {kSolarize, 8, 7}},    {{kSharpness, 4, 7}, {kInvert, 6, 0}},
    {{kShearX, 6, 5}, {kEqualize, 10, 0}},  {{kColor, 4, 0}, {kEqualize, 6, 0}},
    {{kEqualize, 4, 0}, {kSolarize, 2, 4}}, {{kSolarize, 6, 5}, {kAutoContrast, 6, 0}},
    {{kInvert, 6, 0}, {kEqualize, 10, 0}},  {{kColor, 6, 4}, {kContrast, 10, 8}},
    {{kEqualize, 8, 0}, {kEqualize, 6, 0}},
};

constexpr Pair kCifar10[] = {
    {{kInvert, 1, 0}, {kContrast, 2, 6}},         {{kRotate, 7, 2}, {kTranslateX, 3, 9}},
    {{kSharpness, 8, 1}, {kSharpness, 9, 3}},     {{kShearY, 5, 8}, {kTranslateY, 7, 9}},
    {{kAutoContrast, 5, 0}, {kEqualize, 9, 0}},   {{kShearY, 2, 7}, {kPosterize, 3, 7}},
    {{kColor, 4, 3}, {kBrightness, 6, 7}},        {{kSharpness, 3, 9}, {kBrightness, 7, 9}},
    {{kEqualize, 6, 0}, {kEqualize, 5, 0}},       {{kContrast, 6, 7}, {kSharpness, 6, 5}},
    {{kColor, 7, 7}, {kTranslateX, 5, 8}},        {{kEqualize, 3, 0}, {kAutoContrast, 4, 0}},
    {{kTranslateY, 4, 3}, {kSharpness, 2, 6}},    {{kBrightness, 9, 6}, {kColor, 2, 8}},
    {{kSolarize, 5, 2}, {kInvert, 0, 0}},         {{kEqualize, 2, 0}, {kAutoContrast, 6, 0}},
    {{kEqualize, 2, 0}, {kEqualize, 6, 0}},       {{kColor, 9, 9}, {kEqualize, 6, 0}},
    {{kAutoContrast, 8, 0}, {kSolarize, 2, 8}},   {{kBrightness, 1, 3}, {kColor, 7, 0}},
    {{kSolarize, 4, 5}, {kAutoContrast, 9, 0}},   {{kTranslateY, 9, 9}, {kTranslateY, 7, 9}},
    {{kAutoContrast, 9, 0}, {kSolarize, 8, 3}},   {{kEqualize, 8, 0}, {kInvert, 1, 0}},
    {{kTranslateY, 7, 9}, {kAutoContrast, 9, 0}},
};

constexpr Pair kSvhn[] = {
    {{kShearX, 9, 4}, {kInvert, 2, 0}},       {{kShearY, 9, 8}, {kInvert, 7, 0}},
    {{kEqualize, 6, 0}, {kSolarize, 6, 6}},   {{kInvert, 9, 0}, {kEqualize, 6, 0}},
    {{kEqualize, 6, 0}, {kRotate, 9, 3}},     {{kShearX, 9, 4}, {kAutoContrast, 8, 0}},
    {{kShearY, 9, 8}, {kInvert, 4, 0}},       {{kShearY, 9, 5}, {kSolarize, 2, 6}},
    {{kInvert, 9, 0}, {kAutoContrast, 8, 0}}, {{kEqualize, 6, 0}, {kRotate, 9, 3}},
    {{kShearX, 9, 4}, {kSolarize, 3, 3}},     {{kShearY, 8, 8}, {kInvert, 7, 0}},
    {{kEqualize, 9, 0}, {kTranslateY, 6, 6}}, {{kInvert, 9, 0}, {kEqualize, 6, 0}},
    {{kContrast, 3, 3}, {kRotate, 8, 4}},     {{kInvert, 8, 0}, {kTranslateY, 0, 2}},
    {{kShearY, 7, 6}, {kSolarize, 4, 8}},     {{kInvert, 6, 0}, {kRotate, 8, 4}},
    {{kShearY, 3, 7}, {kTranslateX, 9, 3}},   {{kShearX, 1, 6}, {kInvert, 6, 0}},
    {{kSolarize, 7, 2}, {kTranslateY, 6, 7}}, {{kShearY, 8, 4}, {kInvert, 8, 0}},
    {{kShearX, 7, 9}, {kTranslateY, 8, 3}},   {{kShearY, 8, 5}, {kAutoContrast, 7, 0}},
    {{kShearX, 7, 2}, {kInvert, 1, 0}},
};

std::span<const Pair> pairs_of(AutoAugment::Policy policy) {
  if (policy == AutoAugment::Policy::kCifar10) return kCifar10;
  return policy == AutoAugment::Policy::kSvhn ? std::span<const Pair>(kSvhn) : kImagenet;
}

constexpr int kLearnedBins = 10;

}  // namespace

base::Result<void> check(const RandAugment& step) {
  if (auto bins = bins_within(step.bins); !bins) return bins;
  if (step.operations < 0 || step.operations > kMostOperations) {
    return base::fail(base::ErrorCode::kInvalid,
                      "the operations are " + std::to_string(step.operations) +
                          "; they must be 0 to " + std::to_string(kMostOperations));
  }
  if (step.magnitude >= 0 && step.magnitude < step.bins) return {};
  return base::fail(base::ErrorCode::kInvalid,
                    "the magnitude is " + std::to_string(step.magnitude) + "; it must be 0 to " +
                        std::to_string(step.bins - 1));
}
base::Result<void> check(const TrivialAugmentWide& step) { return bins_within(step.bins); }
base::Result<void> check(const AutoAugment& /*step*/) { return {}; }

base::Result<void> apply(const RandAugment& step, DrawStream stream, Picture& picture) {
  const Policy policy{space_of(picture), step.bins, step.style, step.rounding};
  for (int i = 0; i < step.operations; ++i) {
    const auto operation = static_cast<Operation>(stream.below(kDrawnOperations));
    perform(policy, {operation, step.magnitude, drawn_sign(stream)}, picture);
  }
  return {};
}

base::Result<void> apply(const TrivialAugmentWide& step, DrawStream stream, Picture& picture) {
  const auto operation = static_cast<Operation>(stream.below(kDrawnOperations));
  const auto bin = static_cast<int>(stream.below(static_cast<std::uint32_t>(step.bins)));
  perform({kWide, step.bins, step.style, step.rounding}, {operation, bin, drawn_sign(stream)},
          picture);
  return {};
}

base::Result<void> apply(const AutoAugment& step, DrawStream stream, Picture& picture) {
  const auto pairs = pairs_of(step.policy);
  const Pair& pair = pairs[stream.below(static_cast<std::uint32_t>(pairs.size()))];
  const Policy policy{space_of(picture), kLearnedBins, step.style, step.rounding};
  for (const Learned& learned : {pair.first, pair.second}) {
    const bool happens = stream.uniform() < learned.tenths / 10.0;
    const bool negative = drawn_sign(stream);
    if (happens) perform(policy, {learned.operation, learned.bin, negative}, picture);
  }
  return {};
}

}  // namespace flatout::data::transform
