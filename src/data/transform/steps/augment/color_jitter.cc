#include <utility>

#include "data/transform/steps/bounds.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

using Kind = ColourChange::Kind;

constexpr double kMostJitter = 1000;

}  // namespace

base::Result<void> check(const Grayscale& /*step*/) { return {}; }
base::Result<void> check(const RandomGrayscale& step) {
  return probability_within(step.probability);
}

base::Result<void> check(const ColorJitter& step) {
  if (auto range = ordered_within("the brightness", step.brightness, 0, kMostJitter); !range)
    return range;
  if (auto range = ordered_within("the contrast", step.contrast, 0, kMostJitter); !range)
    return range;
  if (auto range = ordered_within("the saturation", step.saturation, 0, kMostJitter); !range)
    return range;
  return ordered_within("the hue", step.hue, -0.5, 0.5);
}

base::Result<void> apply(const Grayscale& /*step*/, DrawStream /*stream*/, Picture& picture) {
  picture.changes.push_back(ColourChange{Kind::kGrey});
  return {};
}

base::Result<void> apply(const RandomGrayscale& step, DrawStream stream, Picture& picture) {
  if (stream.uniform() < step.probability) picture.changes.push_back(ColourChange{Kind::kGrey});
  return {};
}

base::Result<void> apply(const ColorJitter& step, DrawStream stream, Picture& picture) {
  struct Drawn {
    Kind kind;
    ColorJitter::Range range;
    double neutral;
    float factor = 0;
  };
  Drawn changes[] = {{Kind::kBrightness, step.brightness, 1},
                     {Kind::kContrast, step.contrast, 1},
                     {Kind::kSaturation, step.saturation, 1},
                     {Kind::kHue, step.hue, 0}};
  for (Drawn& change : changes)
    change.factor = static_cast<float>(stream.uniform(change.range.low, change.range.high));
  for (std::uint32_t last = 3; last > 0; --last)
    std::swap(changes[last], changes[stream.below(last + 1)]);
  for (const Drawn& change : changes) {
    const bool left_out = change.range.low == change.neutral && change.range.high == change.neutral;
    if (!left_out) picture.changes.push_back(ColourChange{change.kind, change.factor});
  }
  return {};
}

}  // namespace flatout::data::transform
