// Steps of a chain with torchvision's parameters and defaults, and what each does to a picture's
// size. Every step has
//   check(step): kInvalid with the parameter and its bound;
//   size_after(step, before): the size that every picture has after it, nothing where pictures
//   differ; apply(step, stream, picture): draws what is random and does it; kInvalid where this
//   picture cannot be treated so.
// Definitions: torchvision.transforms (0.15 to 0.28) on PIL pictures. What torchvision draws with
// torch's generator is drawn from the stream, with the same distribution.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/result.h"
#include "data/draws.h"
#include "data/transform/steps/augment/augment_steps.h"
#include "data/transform/steps/augment/timm_operation.h"
#include "data/transform/steps/nested_steps.h"
#include "data/transform/steps/picture.h"
#include "data/transform/steps/warp_steps.h"

namespace flatout::data::transform {

// A box of random area and shape, resized. (Where a side falls right between two whole numbers the
// C library's exp decides.)
struct RandomResizedCrop {
  Size size;
  double scale_low = 0.08;  // share of the picture's area
  double scale_high = 1;
  double ratio_low = 3.0 / 4.0;  // width over height
  double ratio_high = 4.0 / 3.0;
  Filter filter = Filter::kBilinear;
  bool or_bicubic = false;  // a sample is as likely resized by bicubic as by `filter`, as timm does
};

// To a size, whatever the shape was.
struct Resize {
  Size size;
  Filter filter = Filter::kBilinear;
};

// The shorter side to `side`, the other in proportion.
struct ResizeShorter {
  int side = 0;
  Filter filter = Filter::kBilinear;
};

// The middle; black around it where the picture is smaller.
struct CenterCrop {
  Size size;
};

// Black on four sides, then a box at a random place. An error where the picture is smaller than
// that, unless pad_if_needed adds the lacking pixels on both sides.
struct RandomCrop {
  Size size;
  int pad_left = 0;
  int pad_top = 0;
  int pad_right = 0;
  int pad_bottom = 0;
  bool pad_if_needed = false;
};

struct RandomHorizontalFlip {
  double probability = 0.5;
};

struct RandomVerticalFlip {
  double probability = 0.5;
};

// Luma in all channels.
struct Grayscale {};

struct RandomGrayscale {
  double probability = 0.1;
};

// Factors are drawn from these ranges, and what is neutral is left out; torchvision's single number
// b stands for [max(0, 1 - b), 1 + b], its hue h for [-h, h]. The order is random.
struct ColorJitter {
  struct Range {
    double low;
    double high;
  };
  Range brightness{1, 1};
  Range contrast{1, 1};
  Range saturation{1, 1};
  Range hue{0, 0};  // parts of a turn, within -0.5 to 0.5
};

// A box of random area and shape is written over, after Normalize. `value` is in the sample's
// numbers: what a program erases with before its Normalize has to be normalized first.
struct RandomErasing {
  double probability = 0.5;
  double scale_low = 0.02;  // share of the sample's area
  double scale_high = 0.33;
  double ratio_low = 0.3;  // height over width
  double ratio_high = 3.3;
  bool noise = false;       // torchvision's value="random"
  bool one_colour = false;  // of the noise: one number a channel, as timm's mode "rand" has it
  float value[3] = {0, 0, 0};
  // Boxes, as many as is drawn from that range; each has its share of the area, as timm has it.
  int least_count = 1;
  int most_count = 1;
};

using Step =
    std::variant<RandomResizedCrop, Resize, ResizeShorter, CenterCrop, RandomCrop,
                 RandomHorizontalFlip, RandomVerticalFlip, Grayscale, RandomGrayscale, ColorJitter,
                 RandomRotation, RandomAffine, RandomPerspective, RandomInvert, RandomPosterize,
                 RandomSolarize, RandomAutocontrast, RandomEqualize, RandomAdjustSharpness,
                 GaussianBlur, RandAugment, TrivialAugmentWide, AutoAugment, RandomApply,
                 RandomChoice, RandomOrder, TimmOperation, RandomErasing>;

struct StepLists {
  std::vector<std::vector<Step>> lists;
};

base::Result<void> check(const RandomResizedCrop& step);
base::Result<void> check(const Resize& step);
base::Result<void> check(const ResizeShorter& step);
base::Result<void> check(const CenterCrop& step);
base::Result<void> check(const RandomCrop& step);
base::Result<void> check(const RandomHorizontalFlip& step);
base::Result<void> check(const RandomVerticalFlip& step);
base::Result<void> check(const Grayscale& step);
base::Result<void> check(const RandomGrayscale& step);
base::Result<void> check(const ColorJitter& step);
base::Result<void> check(const RandomErasing& step);

base::Result<void> apply(const RandomResizedCrop& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const Resize& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const ResizeShorter& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const CenterCrop& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomCrop& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomHorizontalFlip& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomVerticalFlip& step, DrawStream stream, Picture& picture);

base::Result<void> apply(const Grayscale& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomGrayscale& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const ColorJitter& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomErasing& step, DrawStream stream, Picture& picture);

// Over all kinds of steps.
base::Result<void> check_step(const Step& step);
base::Result<void> apply_step(const Step& step, DrawStream stream, Picture& picture);
std::optional<Size> size_after(const Step& step, std::optional<Size> before);
const char* name_of(const Step& step);  // as torchvision's

}  // namespace flatout::data::transform
