#include "data/transform/chain.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "data/transform/kernels/best_kernels.h"

namespace flatout::data::transform {
namespace {

constexpr std::size_t kMostSteps = 64;
// Of a picture that is kept whole between two layers: above what Pillow opens without an error
// (2 * 89 478 485), and 1.5 GB of memory for colours.
constexpr std::int64_t kMostKeptPixels = std::int64_t{1} << 28;
constexpr int kMostSourceSide = 1 << 24;  // up to here Pillow's float32 of a side is exact

std::string place(std::size_t index, const Step& step) {
  return "step " + std::to_string(index + 1) + " of the transforms, " + name_of(step) + ": ";
}

base::Error with_place(const base::Error& error, std::size_t index, const Step& step) {
  return {error.code, place(index, step) + error.message};
}

std::unexpected<base::Error> invalid(std::string message) {
  return base::fail(base::ErrorCode::kInvalid, std::move(message));
}

base::Result<void> check_output(const ChainOptions& options) {
  if (options.channels != 1 && options.channels != 3) {
    return invalid("the samples have " + std::to_string(options.channels) +
                   " channels; 1 and 3 are possible");
  }
  const Normalization& one = options.normalization;
  const bool normalizes = one.scaling != Scaling::kDivide ||
                          std::ranges::any_of(one.mean, [](float mean) { return mean != 0; }) ||
                          std::ranges::any_of(one.std, [](float std) { return std != 1; });
  if (options.type == NumberType::kUint8 && normalizes) {
    return invalid(
        "normalize: uint8 numbers cannot be normalized; choose a float type, or normalize on the "
        "device");
  }
  return {};
}

// Erased numbers are written as they are.
base::Result<void> check_erasing(const ChainOptions& options) {
  for (const Step& step : options.steps) {
    const auto* erasing = std::get_if<RandomErasing>(&step);
    if (erasing == nullptr || options.type != NumberType::kUint8) continue;
    const bool whole = std::ranges::all_of(erasing->value, [](float value) {
      return value >= 0 && value <= 255 && value == std::floor(value);
    });
    if (erasing->noise || !whole) {
      return invalid(
          "RandomErasing: with uint8 numbers the value must be a whole number from 0 to 255, and "
          "no noise");
    }
  }
  return {};
}

// Numbers are erased last.
base::Result<void> check_order(const std::vector<Step>& steps) {
  bool erased = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool erases = std::holds_alternative<RandomErasing>(steps[i]);
    if (erased && !erases)
      return invalid(place(i, steps[i]) + "it comes after RandomErasing, which has to stand last");
    erased = erases;
  }
  return {};
}

// The size of every sample.
base::Result<Size> check_steps(const std::vector<Step>& steps) {
  if (steps.size() > kMostSteps) {
    return invalid("there are " + std::to_string(steps.size()) + " transforms; at most " +
                   std::to_string(kMostSteps) + " are possible");
  }
  std::optional<Size> size;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (const auto checked = check_step(steps[i]); !checked)
      return std::unexpected(with_place(checked.error(), i, steps[i]));
    size = size_after(steps[i], size);
  }
  if (!size) {
    return invalid(
        "the transforms leave pictures of different sizes, and a batch needs one; end with "
        "CenterCrop, RandomCrop, "
        "RandomResizedCrop or a Resize to height and width");
  }
  return *size;
}

Box needed_of(const Picture& picture) {
  const Span x = picture.source_x().source();
  const Span y = picture.source_y().source();
  return {static_cast<int>(x.first), static_cast<int>(y.first), static_cast<int>(x.count),
          static_cast<int>(y.count)};
}

PixelView box_of(PixelView pixels, const Span& x, const Span& y) {
  pixels.data = pixels.row(static_cast<int>(y.first)) + x.first * pixels.channels;
  pixels.width = static_cast<int>(x.count);
  pixels.height = static_cast<int>(y.count);
  return pixels;
}

}  // namespace

Scratch::Scratch(const Kernels& kernels) : kernels_(&kernels), resampler_(kernels) {}
Scratch::Scratch() : Scratch(best_kernels()) {}

Chain::Chain(ChainOptions options, SampleShape shape, const Levels& levels)
    : options_(std::move(options)), shape_(shape), levels_(levels) {}

base::Result<Chain> Chain::make(ChainOptions options) {
  if (const auto checked = check_output(options); !checked) return std::unexpected(checked.error());
  if (const auto checked = check_erasing(options); !checked)
    return std::unexpected(checked.error());
  if (const auto checked = check_order(options.steps); !checked)
    return std::unexpected(checked.error());
  const auto size = check_steps(options.steps);
  if (!size) return std::unexpected(size.error());
  const auto values = levels(options.normalization, options.type);
  if (!values) return std::unexpected(values.error());
  const SampleShape shape{size->width, size->height, options.channels, options.type,
                          options.layout};
  return Chain(std::move(options), shape, *values);
}

base::Result<Plan> Chain::plan(int width, int height, const Draws& draws) const {
  if (std::min(width, height) < 1 || std::max(width, height) > kMostSourceSide) {
    return invalid("a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                   " pixels cannot be transformed; 1 to " + std::to_string(kMostSourceSide) +
                   " a side are possible");
  }
  Picture picture{Axis(width), Axis(height)};
  for (std::size_t i = 0; i < options_.steps.size(); ++i) {
    const Step& step = options_.steps[i];
    const auto applied = apply_step(step, draws.stream(static_cast<int>(i)), picture);
    if (!applied) return std::unexpected(with_place(applied.error(), i, step));
  }
  if (picture.kept_pixels() > kMostKeptPixels) {
    return base::fail(base::ErrorCode::kTooLarge,
                      "between two transforms the picture would have " +
                          std::to_string(picture.kept_pixels()) + " pixels; at most " +
                          std::to_string(kMostKeptPixels) + " are possible");
  }
  const PassOrder order = pillow_pass_order(options_.pillow_major, picture.x, picture.y);
  return Plan{needed_of(picture), picture, order};
}

int Chain::take_scaled(Plan& plan, const ScaledSource& source) {
  const int denom = scale_denom(plan.picture);
  if (denom == 1) return denom;
  scale_source(plan.picture, denom, source);
  plan.source = needed_of(plan.picture);
  return denom;
}

base::Result<void> Chain::write(const PixelView& pixels, const Plan& plan, Scratch& scratch,
                                std::byte* out) const {
  if (pixels.width != plan.source.width || pixels.height != plan.source.height ||
      pixels.channels != shape_.channels) {
    return invalid("pixels of " + std::to_string(pixels.width) + " x " +
                   std::to_string(pixels.height) + " with " + std::to_string(pixels.channels) +
                   " channels were decoded; the plan needs " + std::to_string(plan.source.width) +
                   " x " + std::to_string(plan.source.height) + " with " +
                   std::to_string(shape_.channels));
  }
  const Picture& picture = plan.picture;
  PixelView source = pixels;
  for (std::size_t i = 0; i < picture.before.size(); ++i) {
    const PixelView whole = whole_layer(picture.before[i], source, scratch);
    const bool last = i + 1 == picture.before.size();
    const Axis& x = last ? picture.x : picture.before[i + 1].x;
    const Axis& y = last ? picture.y : picture.before[i + 1].y;
    source = box_of(whole, x.source(), y.source());
  }
  scratch.resampler_.begin(picture.x, picture.y, plan.order, source);
  if (picture.changes.empty()) {
    write_rows(scratch, out);
  } else {
    write_changed(picture.changes, scratch, out);
  }
  for (const Erasure& erasure : picture.erasures) erase(shape_, erasure, out);
  return {};
}

void Chain::write_rows(Scratch& scratch, std::byte* out) const {
  Resampler& rows = scratch.resampler_;
  for (int turn = 0; turn < rows.height(); ++turn) {
    write_row(*scratch.kernels_, shape_, levels_, rows.next_index(turn), rows.row(turn),
              rows.plane(), out);
  }
}

void Scratch::change_whole(const std::vector<Change>& changes, int channels) {
  const PlanarPixels& whole = canvas_.begin(resampler_.width(), resampler_.height(), channels);
  for (int turn = 0; turn < resampler_.height(); ++turn) {
    std::memcpy(whole.row(resampler_.next_index(turn)), resampler_.row(turn),
                resampler_.line_bytes());
  }
  for (const Change& change : changes) canvas_.change(change, *kernels_);
}

// What a layer makes of `source`, as the next layer takes it: interleaved.
PixelView Chain::whole_layer(const Layer& layer, const PixelView& source, Scratch& scratch) const {
  const PassOrder order = pillow_pass_order(options_.pillow_major, layer.x, layer.y);
  scratch.resampler_.begin(layer.x, layer.y, order, source);
  scratch.change_whole(layer.changes, shape_.channels);
  return scratch.interleaved(levels_);
}

PixelView Scratch::interleaved(const Levels& levels) {
  const PlanarPixels& whole = canvas_.pixels();
  const std::ptrdiff_t stride = std::ptrdiff_t{whole.width} * whole.channels;
  auto* const bytes = interleaved_.array<std::uint8_t>(static_cast<std::size_t>(stride) *
                                                       static_cast<std::size_t>(whole.height));
  for (int y = 0; y < whole.height; ++y) {
    std::uint8_t* const row = bytes + y * stride;
    if (whole.channels == 1) {
      std::memcpy(row, whole.row(y), static_cast<std::size_t>(whole.width));
    } else {
      kernels_->write_mixed[static_cast<std::size_t>(NumberType::kUint8)](
          levels, whole.row(y), whole.plane, whole.width, reinterpret_cast<std::byte*>(row));
    }
  }
  return {bytes, whole.width, whole.height, whole.channels, stride};
}

// Some changes look at all pixels before they change one, so here the sample is kept.
void Chain::write_changed(const std::vector<Change>& changes, Scratch& scratch,
                          std::byte* out) const {
  scratch.change_whole(changes, shape_.channels);
  const PlanarPixels& sample = scratch.canvas_.pixels();
  for (int y = 0; y < shape_.height; ++y) {
    write_row(*scratch.kernels_, shape_, levels_, y, sample.row(y), sample.plane, out);
  }
}

}  // namespace flatout::data::transform
