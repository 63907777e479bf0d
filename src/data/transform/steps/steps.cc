#include "data/transform/steps/steps.h"

#include <type_traits>

namespace flatout::data::transform {
namespace {

template <class T>
constexpr bool has_fixed_size = requires(const T& step) { step.size; };
template <class T>
constexpr bool holds_steps = requires(const T& step) { step.of; };

}  // namespace

base::Result<void> check_step(const Step& step) {
  return std::visit([](const auto& one) { return check(one); }, step);
}

base::Result<void> apply_step(const Step& step, DrawStream stream, Picture& picture) {
  return std::visit([&](const auto& one) { return apply(one, stream, picture); }, step);
}

std::optional<Size> size_after(const Step& step, std::optional<Size> before) {
  return std::visit(
      [&](const auto& one) -> std::optional<Size> {
        using Kind = std::remove_cvref_t<decltype(one)>;
        if constexpr (has_fixed_size<Kind>) {
          return one.size;
        } else if constexpr (std::is_same_v<Kind, ResizeShorter>) {
          // A shape that is known stays known only where it is square.
          if (before && before->width == before->height) return Size{one.side, one.side};
          return std::nullopt;
        } else if constexpr (std::is_same_v<Kind, RandomRotation>) {
          return one.expand ? std::nullopt : before;
        } else if constexpr (holds_steps<Kind>) {
          return nested_size(one, before);
        } else {
          return before;
        }
      },
      step);
}

const char* name_of(const Step& step) {
  static constexpr const char* kNames[] = {"RandomResizedCrop",
                                           "Resize",
                                           "Resize",
                                           "CenterCrop",
                                           "RandomCrop",
                                           "RandomHorizontalFlip",
                                           "RandomVerticalFlip",
                                           "Grayscale",
                                           "RandomGrayscale",
                                           "ColorJitter",
                                           "RandomRotation",
                                           "RandomAffine",
                                           "RandomPerspective",
                                           "RandomInvert",
                                           "RandomPosterize",
                                           "RandomSolarize",
                                           "RandomAutocontrast",
                                           "RandomEqualize",
                                           "RandomAdjustSharpness",
                                           "GaussianBlur",
                                           "RandAugment",
                                           "TrivialAugmentWide",
                                           "AutoAugment",
                                           "RandomApply",
                                           "RandomChoice",
                                           "RandomOrder",
                                           "AugmentOp",
                                           "RandomErasing"};
  static_assert(std::variant_size_v<Step> == std::size(kNames));
  return kNames[step.index()];
}

}  // namespace flatout::data::transform
