#include "data/open/open_loader.h"

#include <algorithm>
#include <utility>

#include "data/open/open_source.h"
#include "data/open/this_machine.h"
#include "data/spec/array_spec.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

namespace {

Result<std::unique_ptr<OpenLoader>> open_array_loader(const spec::LoaderSpec& spec, bool more) {
  if (more || !spec.images.empty() || !spec.shards.empty() || !spec.packed.empty()) {
    return base::fail(ErrorCode::kInvalid,
                      "beside \"tokens\" or \"arrays\" pictures are given; leave one of the two");
  }
  auto opened = spec::open_arrays(spec.arrays);
  if (!opened) return std::unexpected(opened.error());
  const std::shared_ptr<const ArraySource> arrays = std::move(*opened);
  auto loader = start_arrays(start_options(spec), this_machine(), arrays, {});
  if (!loader) return std::unexpected(loader.error());
  return std::unique_ptr<OpenLoader>(new OpenLoader{.samples = arrays,
                                                    .arrays = arrays,
                                                    .sample_bytes = arrays->most_sample_bytes(),
                                                    .loader = std::move(*loader),
                                                    .spec = spec});
}

Result<std::unique_ptr<OpenLoader>> open_picture_loader(const spec::LoaderSpec& spec,
                                                        std::unique_ptr<Source> given) {
  const tune::Machine machine = this_machine();
  auto source = open_source(spec, std::move(given), machine.cores);
  if (!source) return std::unexpected(source.error());
  auto chain = transform::Chain::make(spec.chain);
  if (!chain) return std::unexpected(chain.error());
  MixOptions mix = spec.mix;
  if (mix.classes == 0) mix.classes = static_cast<std::int64_t>(source->classes.size());
  if (auto checked = check(mix, chain->shape().type); !checked)
    return std::unexpected(checked.error());
  const std::size_t sample_bytes = chain->shape().bytes();
  auto caches = cache::open_caches(spec.cache, *source->source,
                                   tune::processes_here(machine, spec.order.ranks));
  if (!caches) return std::unexpected(caches.error());
  auto recipe = std::make_shared<const ImageRecipe>(
      ImageRecipe{cache::cached(std::move(source->source), *caches), std::move(*chain),
                  spec.order.seed, spec.decoding, caches->pictures(), caches->memory});
  auto loader = start_pictures(start_options(spec), machine, recipe, mix, {});
  if (!loader) return std::unexpected(loader.error());
  return std::unique_ptr<OpenLoader>(new OpenLoader{.samples = recipe->source,
                                                    .recipe = recipe,
                                                    .sample_bytes = sample_bytes,
                                                    .classes = std::move(source->classes),
                                                    .loader = std::move(*loader),
                                                    .mix = std::move(mix),
                                                    .caches = std::move(*caches),
                                                    .spec = spec});
}

}  // namespace

StartOptions start_options(const spec::LoaderSpec& spec) {
  return {
      .loader = spec.loader, .threads = spec.threads, .tune = spec.tune, .ranks = spec.order.ranks};
}

Result<std::unique_ptr<OpenLoader>> open_loader(const spec::LoaderSpec& spec,
                                                std::unique_ptr<Source> given) {
  auto open = spec.of_arrays() ? open_array_loader(spec, given != nullptr)
                               : open_picture_loader(spec, std::move(given));
  if (open) (*open)->run = RunReport::of(spec);
  return open;
}

Result<void> OpenLoader::begin_own(std::uint32_t epoch, std::int64_t drawn_so_far) {
  const auto start = [&] { return start_own(epoch, drawn_so_far); };
  return run == nullptr ? start() : run->epoch(*this, start);
}

Result<void> OpenLoader::begin_with(std::uint32_t epoch, std::span<const std::int64_t> order) {
  const auto start = [&] { return start_with(epoch, order); };
  return run == nullptr ? start() : run->epoch(*this, start);
}

Result<void> OpenLoader::start_own(std::uint32_t epoch, std::int64_t drawn_so_far) {
  if (drawn_so_far < 0) return base::fail(ErrorCode::kInvalid, "fewer than no samples were drawn");
  plan = arrays != nullptr
             ? arrays->plan(epoch, spec.order, spec.loader.batch_size, spec.loader.drop_last,
                            drawn_so_far)
             : EpochPlan{epoch_order(samples->size(), epoch, spec.order, drawn_so_far)};
  drawn_before = std::min(drawn_so_far, samples->size());
  drawing = spec.order.ranks;
  begun = true;
  if (device != nullptr) device->begin();
  return loader.begin(epoch, std::move(plan.order), plan.ends);
}

Result<void> OpenLoader::start_with(std::uint32_t epoch, std::span<const std::int64_t> order) {
  if (auto checked = check_indices(order); !checked) return checked;
  if (arrays != nullptr && arrays->batches_by_itself()) {
    return base::fail(ErrorCode::kInvalid,
                      "batches of one bucket each have an order of their own; leave `order` NULL");
  }
  plan = {};
  drawn_before = 0;
  drawing = 1;
  begun = true;
  if (device != nullptr) device->begin();
  return loader.begin(epoch, {order.begin(), order.end()});
}

Result<void> OpenLoader::append(std::span<const std::int64_t> indices) {
  if (auto checked = check_indices(indices); !checked) return checked;
  if (arrays != nullptr && arrays->batches_by_itself()) {
    return base::fail(ErrorCode::kInvalid,
                      "batches of one bucket each have an order of their own; nothing is appended");
  }
  return loader.append({indices.begin(), indices.end()});
}

Result<void> OpenLoader::count_as_drawn(std::span<const std::int64_t> indices) {
  if (auto checked = check_indices(indices); !checked) return checked;
  loader.count_as_drawn({indices.begin(), indices.end()});
  return {};
}

Result<std::unique_ptr<ReadyBatch>> OpenLoader::next() {
  const auto ready = [&] {
    return device != nullptr ? next_on_device(*this) : next_on_host(*this);
  };
  return run == nullptr ? ready() : run->draw(*this, ready);
}

std::int64_t OpenLoader::drawn() const {
  return device != nullptr && device->drawn ? *device->drawn : drawn_by_loader();
}

std::int64_t OpenLoader::drawn_by_loader() const {
  if (plan.ends.empty())
    return drawn_before + drawing * static_cast<std::int64_t>(loader.position());
  const auto batches = std::ranges::upper_bound(plan.ends, loader.position()) - plan.ends.begin();
  return batches == 0 ? drawn_before : plan.drawn[static_cast<std::size_t>(batches - 1)];
}

void OpenLoader::closing() {
  if (run != nullptr) run->closing(*this);
}

Result<void> OpenLoader::check_indices(std::span<const std::int64_t> indices) const {
  const std::int64_t count = samples->size();
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= count) {
      return base::fail(ErrorCode::kInvalid, "sample " + std::to_string(index) +
                                                 " is not in 0 to " + std::to_string(count - 1));
    }
  }
  return {};
}

}  // namespace flatout::data
