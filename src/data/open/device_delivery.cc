#include "data/open/device_delivery.h"

#include <utility>

#include "data/open/device_layout.h"
#include "data/open/open_loader.h"
#include "data/open/pixels_to_device.h"
#include "data/open/this_machine.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

namespace {

Result<void> pictures_to_device(OpenLoader& open, const StartOptions& start, ForDevice engine,
                                std::unique_ptr<LoaderDevice> to) {
  const transform::SampleShape& shape = open.recipe->chain.shape();
  const std::size_t samples = start.loader.batch_size;
  const std::size_t labels = samples * label_bytes(open);
  device::RingOptions ring{.batch_bytes = aligned_on_device(samples * shape.bytes()) + labels};
  auto recipe = open.recipe;
  if (shape.type != transform::NumberType::kUint8) {
    auto pixels = plan_pixels(*open.recipe, open.spec, to->context);
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
  auto loader = start_pictures(start, this_machine(), recipe, open.mix, engine);
  if (!loader) return std::unexpected(loader.error());
  open.loader = std::move(*loader);
  open.recipe = std::move(recipe);
  open.device = std::move(to);
  return {};
}

Result<void> arrays_to_device(OpenLoader& open, const StartOptions& start, const ForDevice& engine,
                              std::unique_ptr<LoaderDevice> to) {
  to->sample_bytes = open.sample_bytes;
  const std::size_t between = open.arrays->parts(0).size() * kDeviceAlignment;
  auto started = device::DeviceRing::open(
      to->context, {.batch_bytes = start.loader.batch_size * open.sample_bytes + between});
  if (!started) return std::unexpected(started.error());
  to->ring = std::move(*started);
  auto loader = start_arrays(start, this_machine(), open.arrays, engine);
  if (!loader) return std::unexpected(loader.error());
  open.loader = std::move(*loader);
  open.device = std::move(to);
  return {};
}

SentBatch send_next(OpenLoader& open) {
  auto made = next_on_host(open);
  if (made && *made != nullptr) {
    ReadyBatch& batch = **made;
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
  StartOptions start = start_options(open.spec);
  if (open.loader.tuner() == nullptr) start.threads = open.loader.engine().stats().threads;
  return open.arrays != nullptr ? arrays_to_device(open, start, engine, std::move(to))
                                : pictures_to_device(open, start, engine, std::move(to));
}

Result<std::unique_ptr<ReadyBatch>> next_on_device(OpenLoader& open) {
  LoaderDevice& to = *open.device;
  if (!to.context->here()) return next_on_host(open);  // which says why there is none here
  if (to.sent.empty()) to.sent.push_back(send_next(open));
  SentBatch first = std::move(to.sent.front());
  to.sent.pop_front();
  const bool given = first.batch && *first.batch != nullptr;
  if (given && to.sent.empty() && open.loader.ready()) to.sent.push_back(send_next(open));
  to.drawn = first.drawn;
  return std::move(first.batch);
}

}  // namespace flatout::data
