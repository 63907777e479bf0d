#include "data/feed/start_loader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "data/feed/mixed_batches.h"

namespace flatout::data {

using base::Result;

namespace {

// Threads that make arrays, where nothing is said: one writes about as fast as memory takes it; a
// second reads while the first waits for a disk.
constexpr int kArrayThreads = 2;
// A thread takes samples of about so many bytes at a time, so that asking for them costs little.
constexpr std::size_t kClaimBytes = std::size_t{1} << 17;

tune::Asked asked_of(const StartOptions& options) {
  return {.threads = options.threads, .ahead = options.loader.ahead, .tune = options.tune};
}

// What all kinds of samples have in common: threads, prefetch depth, tuning.
Result<Loader> start(const StartOptions& options, const tune::Machine& machine,
                     EngineOptions engine, LoaderOptions loader, MakeMaker make_maker) {
  loader.tuning = tune::bounds_of(machine, asked_of(options), options.ranks, engine.sample_bytes,
                                  loader.batch_size);
  if (loader.tuning)
    loader.tuning->most_threads = std::min(loader.tuning->most_threads, Engine::kMaxThreads);
  if (loader.ahead == 0) loader.ahead = tune::kFirstAhead;
  engine.batch_size = loader.batch_size;
  engine.ahead = loader.ahead;
  auto started = Engine::start(engine, std::move(make_maker));
  if (!started) return std::unexpected(started.error());
  return Loader(std::move(*started), engine.sample_bytes, loader);
}

}  // namespace

Result<Loader> start_pictures(const StartOptions& options, const tune::Machine& machine,
                              std::shared_ptr<const ImageRecipe> recipe, const MixOptions& mix,
                              const ForDevice& device) {
  const EngineOptions engine{.threads = tune::first_threads(machine, asked_of(options)),
                             .sample_bytes = recipe->chain.shape().bytes(),
                             .extra_bytes = device.extra_bytes,
                             .finish = mix_when_made(recipe, mix),
                             .pin = device.pin,
                             .in_flight = device.in_flight};
  return start(options, machine, engine, options.loader,
               [recipe = std::move(recipe)] { return std::make_unique<ImageMaker>(recipe); });
}

Result<Loader> start_arrays(const StartOptions& options, const tune::Machine& machine,
                            std::shared_ptr<const ArraySource> arrays, const ForDevice& device) {
  const std::size_t sample_bytes = arrays->most_sample_bytes();
  LoaderOptions loader = options.loader;
  loader.part_bytes = [arrays](std::int64_t first) {
    std::vector<std::size_t> out;
    for (const ArrayPart& part : arrays->parts(first)) out.push_back(part.bytes());
    return out;
  };
  const int threads = tune::first_threads(machine, asked_of(options));
  const EngineOptions engine{
      .threads = options.threads > 0 ? threads : std::min(threads, kArrayThreads),
      .sample_bytes = sample_bytes,
      .extra_bytes = arrays->parts(0).size() * kArrayAlignment,
      .claim = std::max<std::size_t>(kClaimBytes / sample_bytes, 1),
      .pin = device.pin,
      .in_flight = device.in_flight};
  return start(options, machine, engine, loader, [arrays] { return arrays->maker(arrays); });
}

}  // namespace flatout::data
