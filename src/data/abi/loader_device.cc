#include "data/abi/loader_device.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <variant>

#include "data/abi/loader_handle.h"
#include "data/device/kernel_image.h"

namespace flatout::data::abi {

using base::ErrorCode;
using base::Result;

namespace {

// Arrays on a device begin where CUDA's own memory would, which some kernels count on.
constexpr std::size_t kDeviceAlignment = 256;

constexpr std::size_t aligned_on_device(std::size_t bytes) {
  return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

const char* name_of_numbers(transform::NumberType type) {
  switch (type) {
    case transform::NumberType::kFloat32:
      return "float32";
    case transform::NumberType::kFloat16:
      return "float16";
    case transform::NumberType::kBfloat16:
      return "bfloat16";
    case transform::NumberType::kUint8:
      return "uint8";
  }
  return "";
}

std::size_t label_bytes(const OpenLoader& open) {
  return !open.mix.mixes() ? sizeof(std::int64_t)
                           : static_cast<std::size_t>(open.mix.classes) * sizeof(float);
}

// Why pixels cannot become numbers on a device, whatever it is; "" where they can.
std::string needs_numbers_on_cpu(const spec::LoaderSpec& spec, std::size_t batch_pixels) {
  if (spec.mix.mixes()) return "mix works on numbers";
  const auto& steps = spec.chain.steps;
  if (!steps.empty() && std::holds_alternative<transform::RandomErasing>(steps.back()))
    return "random_erasing writes numbers";
  if (batch_pixels > UINT32_MAX) return "a batch has more than 4 GiB of pixels";
  return "";
}

struct PixelPlan {
  std::shared_ptr<const ImageRecipe> recipe;  // that makes bytes
  std::unique_ptr<device::LevelsTable> levels;
};

// How the loader's pixels go there as bytes; an error, why they do not.
Result<PixelPlan> plan_pixels(const OpenLoader& open, const spec::LoaderSpec& spec,
                              const std::shared_ptr<const device::DeviceContext>& context) {
  const transform::SampleShape& shape = open.recipe->chain.shape();
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
  ImageRecipe recipe = *open.recipe;
  recipe.chain = std::move(*chain);
  return PixelPlan{std::make_shared<const ImageRecipe>(std::move(recipe)), std::move(*loaded)};
}

Result<void> pictures_to_device(OpenLoader& open, const spec::LoaderSpec& spec, ForDevice engine,
                                std::unique_ptr<LoaderDevice> to) {
  const transform::SampleShape& shape = open.recipe->chain.shape();
  const std::size_t samples = spec.loader.batch_size;
  const std::size_t labels = samples * label_bytes(open);
  device::RingOptions ring{.batch_bytes = aligned_on_device(samples * shape.bytes()) + labels};
  auto recipe = open.recipe;
  if (shape.type != transform::NumberType::kUint8) {
    auto pixels = plan_pixels(open, spec, to->context);
    to->makes_numbers = pixels.has_value();
    if (pixels) {
      const bool first = shape.layout == transform::Layout::kChannelsFirst;
      recipe = std::move(pixels->recipe);
      ring.levels = std::move(pixels->levels);
      ring.pixels = {.count = 0,
                     .stride = first ? static_cast<std::uint32_t>(shape.width * shape.height) : 1U,
                     .channels = static_cast<std::uint32_t>(shape.channels)};
      ring.pixel_bytes = samples * recipe->chain.shape().bytes();
    } else {
      to->why_not = pixels.error().message;
    }
  }
  to->sample_bytes = recipe->chain.shape().bytes();
  auto started = device::DeviceRing::open(to->context, std::move(ring));
  if (!started) return std::unexpected(started.error());
  to->ring = std::move(*started);
  engine.extra_bytes = kArrayAlignment + labels;
  auto loader = start_pictures(spec, recipe, open.mix, engine);
  if (!loader) return std::unexpected(loader.error());
  open.loader = std::move(*loader);
  open.recipe = std::move(recipe);
  open.device = std::move(to);
  return {};
}

Result<void> arrays_to_device(OpenLoader& open, const spec::LoaderSpec& spec,
                              const ForDevice& engine, std::unique_ptr<LoaderDevice> to) {
  to->sample_bytes = open.sample_bytes;
  const std::size_t between = open.arrays->parts(0).size() * kDeviceAlignment;
  auto started = device::DeviceRing::open(
      to->context, {.batch_bytes = spec.loader.batch_size * open.sample_bytes + between});
  if (!started) return std::unexpected(started.error());
  to->ring = std::move(*started);
  auto loader = start_arrays(spec, open.arrays, engine);
  if (!loader) return std::unexpected(loader.error());
  open.loader = std::move(*loader);
  open.device = std::move(to);
  return {};
}

// Where a batch's arrays lie on the device, and what goes there from where.
std::vector<device::Piece> place_pictures(const OpenLoader& open, flatout_batch& batch) {
  const transform::SampleShape& shape = open.recipe->chain.shape();
  const auto count = static_cast<std::int64_t>(batch.made.indices.size());
  const std::size_t pixels = batch.made.indices.size() * open.device->sample_bytes;
  const std::size_t numbers = batch.made.indices.size() * open.sample_bytes;
  std::int64_t axes[3];
  sample_axes(shape, axes);
  batch.device_arrays = {
      {"images", name_of_numbers(open.spec.chain.type), 0, {count, axes[0], axes[1], axes[2]}}};
  // The labels go along, behind the pixels.
  const bool mixed = !batch.targets.empty();
  const std::size_t labels = batch.made.indices.size() * label_bytes(open);
  const std::size_t from = aligned_array(pixels);
  const void* const told = batch.labels.data();
  std::memcpy(batch.made.memory.get() + from, mixed ? batch.targets.data() : told, labels);
  DeviceArray what{"labels", "int64", aligned_on_device(numbers), {count}};
  if (mixed) what = {"targets", "float32", what.begin, {count, batch.classes}};
  batch.device_arrays.push_back(what);
  return {{.from = 0, .to = 0, .bytes = pixels, .pixels = open.device->makes_numbers},
          {.from = from, .to = what.begin, .bytes = labels}};
}

std::vector<device::Piece> place_arrays(flatout_batch& batch) {
  std::vector<device::Piece> out;
  std::size_t from = 0;
  std::size_t to = 0;
  for (const ArrayPart& part : batch.arrays) {
    const std::size_t bytes = batch.made.indices.size() * part.bytes();
    out.push_back({.from = from, .to = to, .bytes = bytes});
    DeviceArray array{part.name, name_of(part.type), to, {std::ssize(batch.made.indices)}};
    array.shape.insert(array.shape.end(), part.shape.begin(), part.shape.end());
    batch.device_arrays.push_back(std::move(array));
    from = aligned_array(from + bytes);
    to = aligned_on_device(to + bytes);
  }
  return out;
}

SentBatch send_next(OpenLoader& open) {
  auto made = make_batch(open);
  if (made && *made != nullptr) {
    flatout_batch& batch = **made;
    const auto pieces = open.arrays != nullptr ? place_arrays(batch) : place_pictures(open, batch);
    auto sent = open.device->ring->send(std::move(batch.made.memory), pieces);
    if (sent)
      batch.buffer = std::move(*sent);
    else
      made = std::unexpected(sent.error());
  }
  return {std::move(made), open.drawn_by_loader()};
}

}  // namespace

Result<void> to_device(OpenLoader& open, std::string_view name) {
  if (open.device != nullptr) {
    const std::string now = open.device->context->name();
    if (name == now || name == "cuda") return {};
    return base::fail(ErrorCode::kInvalid, std::string(name) + ": the batches go to " + now +
                                               " already; open another loader");
  }
  if (name == "cpu") return {};
  if (open.begun) {
    return base::fail(ErrorCode::kInvalid,
                      std::string(name) + ": an epoch was begun before; ask for it before that");
  }
  auto context = device::DeviceContext::open(name);
  if (!context) return std::unexpected(context.error());
  auto to = std::make_unique<LoaderDevice>();
  to->context = *context;
  const ForDevice engine{.pin = std::make_shared<device::CudaPagePin>(*context),
                         .in_flight = device::DeviceRing::kSlots};
  spec::LoaderSpec spec = open.spec;
  if (open.loader.tuner() == nullptr) spec.threads = open.loader.engine().stats().threads;
  return open.arrays != nullptr ? arrays_to_device(open, spec, engine, std::move(to))
                                : pictures_to_device(open, spec, engine, std::move(to));
}

Result<std::unique_ptr<flatout_batch>> next_on_device(OpenLoader& open) {
  LoaderDevice& to = *open.device;
  if (!to.context->here()) return make_batch(open);  // which says why there is none here
  if (to.sent.empty()) to.sent.push_back(send_next(open));
  SentBatch first = std::move(to.sent.front());
  to.sent.pop_front();
  const bool given = first.batch && *first.batch != nullptr;
  if (given && to.sent.empty() && open.loader.ready()) to.sent.push_back(send_next(open));
  to.drawn = first.drawn;
  return std::move(first.batch);
}

nlohmann::ordered_json device_json(const LoaderDevice& to) {
  const device::RingStats stats = to.ring->stats();
  nlohmann::ordered_json out{{"device", to.context->name()}, {"gpu", to.context->gpu()},
                             {"batches", stats.batches},     {"bytes", stats.bytes},
                             {"timed_batches", stats.timed}, {"waits", stats.waits},
                             {"wait_ns", stats.waited},      {"normalized", to.makes_numbers}};
  if (stats.timed > 0) out["copy_ns"] = stats.copy;
  if (!to.why_not.empty()) out["why_not_normalized"] = to.why_not;
  return out;
}

}  // namespace flatout::data::abi
