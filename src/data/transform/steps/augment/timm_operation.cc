#include "data/transform/steps/augment/timm_operation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "data/transform/steps/bounds.h"

namespace flatout::data::transform {
namespace {

using Colour = ColourChange::Kind;
using Timm = TimmOperation::Kind;

constexpr double kMostMagnitude = 1e6;

base::Result<void> level_within(const char* name, double value) {
  if (value >= 0 && value <= kMostMagnitude) return {};
  return base::fail(base::ErrorCode::kInvalid, std::string(name) + " is " + std::to_string(value) +
                                                   "; it must be 0 to 1000000");
}

// A share of what an operation does at most: timm's level / 10.
double drawn_tenths(const TimmOperation& step, DrawStream& stream) {
  double magnitude = step.magnitude;
  if (step.evenly)
    magnitude = stream.uniform(0, magnitude);
  else if (step.deviation > 0)
    magnitude += stream.normal() * step.deviation;
  return std::max(0.0, std::min(magnitude, step.most)) / 10.0;
}

double negated_by_chance(double value, DrawStream& stream) {
  return stream.uniform() > 0.5 ? -value : value;
}

// Python's int().
int cut(double value) { return static_cast<int>(value); }

void change_colour(Colour kind, double factor, Picture& picture) {
  picture.changes.emplace_back(ColourChange{kind, static_cast<float>(factor)});
}

// ImageOps.posterize, where below 0 no bit is kept either.
base::Result<void> posterize(const TimmOperation& step, double tenths, Picture& picture) {
  const int level = cut(tenths * 4);
  const int bits = step.kind == Timm::kPosterize             ? level
                   : step.kind == Timm::kPosterizeIncreasing ? 4 - level
                                                             : 4 + level;
  if (bits < 1 && !step.blackens)
    return base::fail(base::ErrorCode::kInvalid,
                      "Pillow posterizes to 1 to 8 bits, not to " + std::to_string(bits));
  if (bits < 8) change_colour(Colour::kPosterize, std::max(bits, 0), picture);
  return {};
}

void enhance(Timm kind, double factor, Picture& picture) {
  switch (kind) {
    case Timm::kColor:
    case Timm::kColorIncreasing:
      return change_colour(Colour::kSaturation, factor, picture);
    case Timm::kContrast:
    case Timm::kContrastIncreasing:
      return change_colour(Colour::kContrast, factor, picture);
    case Timm::kBrightness:
    case Timm::kBrightnessIncreasing:
      return change_colour(Colour::kBrightness, factor, picture);
    default:
      picture.changes.emplace_back(Sharpening{static_cast<float>(factor)});
  }
}

void warp_by(const TimmOperation& step, const double (&matrix)[6], DrawStream& stream,
             Picture& picture) {
  Warp out{.width = static_cast<int>(picture.width()),
           .height = static_cast<int>(picture.height()),
           .filter = step.filters[stream.below(static_cast<std::uint32_t>(step.filters.size()))]};
  std::ranges::copy(matrix, out.matrix);
  std::ranges::copy(step.fill, out.fill);
  picture.changes.emplace_back(out);
}

void rotate(const TimmOperation& step, double degrees, DrawStream& stream, Picture& picture) {
  const WarpFilter filter =
      step.filters[stream.below(static_cast<std::uint32_t>(step.filters.size()))];
  const auto turned =
      rotation(static_cast<int>(picture.width()), static_cast<int>(picture.height()), degrees,
               false, std::nullopt, {filter, step.fill});
  if (turned) picture.changes.emplace_back(*turned);
}

void move_by(const TimmOperation& step, double tenths, DrawStream& stream, Picture& picture) {
  const auto by = [&](double at_ten) { return negated_by_chance(tenths * at_ten, stream); };
  const auto width = static_cast<double>(picture.width());
  const auto height = static_cast<double>(picture.height());
  switch (step.kind) {
    case Timm::kRotate:
      return rotate(step, by(30), stream, picture);
    case Timm::kShearX:
      return warp_by(step, {1, by(0.3), 0, 0, 1, 0}, stream, picture);
    case Timm::kShearY:
      return warp_by(step, {1, 0, 0, by(0.3), 1, 0}, stream, picture);
    case Timm::kTranslateX:
      return warp_by(step, {1, 0, by(step.translate), 0, 1, 0}, stream, picture);
    case Timm::kTranslateY:
      return warp_by(step, {1, 0, 0, 0, 1, by(step.translate)}, stream, picture);
    case Timm::kTranslateXRel:
      return warp_by(step, {1, 0, by(step.translate_share) * width, 0, 1, 0}, stream, picture);
    default:
      return warp_by(step, {1, 0, 0, 0, 1, by(step.translate_share) * height}, stream, picture);
  }
}

void perform_at(const TimmOperation& step, double tenths, DrawStream& stream, Picture& picture) {
  switch (step.kind) {
    case Timm::kAutoContrast:
      return change_colour(Colour::kAutoContrast, 1, picture);
    case Timm::kEqualize:
      return change_colour(Colour::kEqualize, 1, picture);
    case Timm::kInvert:
      return change_colour(Colour::kInvert, 1, picture);
    case Timm::kSolarize:
      return change_colour(Colour::kSolarize, std::min(256, cut(tenths * 256)), picture);
    case Timm::kSolarizeIncreasing:
      return change_colour(Colour::kSolarize, 256 - std::min(256, cut(tenths * 256)), picture);
    case Timm::kSolarizeAdd:
      return change_colour(Colour::kSolarizeAdd, std::min(128, cut(tenths * 110)), picture);
    case Timm::kColor:
    case Timm::kContrast:
    case Timm::kBrightness:
    case Timm::kSharpness:
      return enhance(step.kind, tenths * 1.8 + 0.1, picture);
    case Timm::kColorIncreasing:
    case Timm::kContrastIncreasing:
    case Timm::kBrightnessIncreasing:
    case Timm::kSharpnessIncreasing:
      return enhance(step.kind, std::max(0.1, 1.0 + negated_by_chance(tenths * 0.9, stream)),
                     picture);
    case Timm::kDesaturate: {
      const double taken = std::clamp(0.5 + 0.5 * tenths, 0.5, 1.0);
      return change_colour(Colour::kSaturation, std::clamp(1.0 - taken, 0.0, 1.0), picture);
    }
    default:
      return move_by(step, tenths, stream, picture);
  }
}

}  // namespace

base::Result<void> check(const TimmOperation& step) {
  if (auto fits = probability_within(step.probability); !fits) return fits;
  if (auto fits = level_within("the magnitude", step.magnitude); !fits) return fits;
  if (auto fits = level_within("the deviation", step.deviation); !fits) return fits;
  if (auto fits = level_within("the largest magnitude", step.most); !fits) return fits;
  if (auto fits = level_within("the translation", step.translate); !fits) return fits;
  if (auto fits = level_within("the share of a translation", step.translate_share); !fits)
    return fits;
  if (!step.filters.empty()) return {};
  return base::fail(base::ErrorCode::kInvalid, "there is no interpolation to choose from");
}

base::Result<void> apply(const TimmOperation& step, DrawStream stream, Picture& picture) {
  if (stream.uniform() >= step.probability) return {};
  const double tenths = drawn_tenths(step, stream);
  if (step.kind == Timm::kPosterize || step.kind == Timm::kPosterizeIncreasing ||
      step.kind == Timm::kPosterizeOriginal)
    return posterize(step, tenths, picture);
  perform_at(step, tenths, stream, picture);
  return {};
}

}  // namespace flatout::data::transform
