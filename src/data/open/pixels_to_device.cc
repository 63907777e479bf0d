#include "data/open/pixels_to_device.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "data/device/kernel_image.h"
#include "data/transform/chain.h"
#include "data/transform/sample/levels.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

namespace {

// Why pixels cannot become numbers on a device, whatever it is; "" where they can.
std::string needs_numbers_on_cpu(const spec::LoaderSpec& spec, std::size_t batch_pixels) {
  if (spec.mix.mixes()) return "mix works on numbers";
  const auto& steps = spec.chain.steps;
  if (!steps.empty() && std::holds_alternative<transform::RandomErasing>(steps.back()))
    return "random_erasing writes numbers";
  if (batch_pixels > UINT32_MAX) return "a batch has more than 4 GiB of pixels";
  return "";
}

}  // namespace

Result<PixelPlan> plan_pixels(const ImageRecipe& recipe, const spec::LoaderSpec& spec,
                              const std::shared_ptr<const device::DeviceContext>& context) {
  const transform::SampleShape& shape = recipe.chain.shape();
  const std::size_t pixels = shape.bytes() / transform::bytes_of(shape.type);
  if (std::string why = needs_numbers_on_cpu(spec, pixels * spec.loader.batch_size); !why.empty())
    return base::fail(ErrorCode::kUnavailable, std::move(why));
  const auto levels = transform::levels(spec.chain.normalization, shape.type);
  if (!levels) return std::unexpected(levels.error());
  auto table = std::as_bytes(std::span(&levels->float32[0][0], transform::kMostChannels * 256));
  if (shape.type != transform::NumberType::kFloat32)
    table = std::as_bytes(std::span(&levels->bits16[0][0], transform::kMostChannels * 256));
  auto loaded = device::LevelsTable::load(context, device::kKernelImage, table,
                                          transform::bytes_of(shape.type));
  if (!loaded) return std::unexpected(loaded.error());
  transform::ChainOptions options = spec.chain;
  options.type = transform::NumberType::kUint8;
  options.normalization = {};
  auto chain = transform::Chain::make(std::move(options));
  if (!chain) return std::unexpected(chain.error());
  ImageRecipe bytes = recipe;
  bytes.chain = std::move(*chain);
  return PixelPlan{std::make_shared<const ImageRecipe>(std::move(bytes)), std::move(*loaded)};
}

}  // namespace flatout::data
