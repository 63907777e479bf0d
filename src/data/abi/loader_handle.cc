#include "data/abi/loader_handle.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/source/image_folder.h"
#include "data/source/packed_shards.h"
#include "data/source/tar_shards.h"
#include "host/cgroup.h"
#include "host/cpus.h"

namespace flatout::data::abi {

using base::Result;

Result<OpenSource> open_source(const spec::LoaderSpec& spec, std::unique_ptr<Source> given) {
  const int named = (given != nullptr ? 1 : 0) + (spec.images.empty() ? 0 : 1) +
                    (spec.shards.empty() ? 0 : 1) + (spec.packed.empty() ? 0 : 1);
  if (named > 1) {
    return base::fail(
        base::ErrorCode::kInvalid,
        "of \"images\", \"shards\", \"packed\" and a list of samples more than one is given; leave "
        "one");
  }
  if (given != nullptr) return OpenSource{{}, std::move(given)};
  if (!spec.shards.empty()) {
    UnpackOptions unpack = spec.unpack;
    unpack.threads = spec.threads > 0 ? spec.threads : usable_cores();
    auto shards = TarShards::open(spec.shards, unpack);
    if (!shards) return std::unexpected(shards.error());
    return OpenSource{{}, std::move(*shards)};
  }
  if (!spec.packed.empty()) {
    auto packed = PackedShards::open(spec.packed);
    if (!packed) return std::unexpected(packed.error());
    auto classes = (*packed)->manifest().classes;
    return OpenSource{std::move(classes), std::move(*packed)};
  }
  if (spec.images.empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "what to read is missing: \"images\", a folder of class folders, "
                      "\"shards\", a list of tar files, or \"packed\", a folder that was packed");
  }
  const auto cache = spec.index_cache ? IndexCache::of_user() : std::nullopt;
  auto folder = open_image_folder(spec.images, cache ? &*cache : nullptr);
  if (!folder) return std::unexpected(folder.error());
  return OpenSource{std::move(folder->classes), std::move(folder->files)};
}

namespace {

// Prefetched batches may take an eighth of the memory that the cgroup, or the machine, has.
constexpr std::size_t kShareOfMemory = 8;
constexpr std::size_t kMostAhead = 64;
constexpr std::size_t kFirstAhead = 2;
// Threads beyond the cores only wait for bytes: enough of them for a disk far away.
constexpr int kThreadsPerCore = 4;
constexpr int kFewestMostThreads = 32;
constexpr int kMostProcesses = 1 << 16;

std::size_t memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  std::size_t bytes = pages > 0 && page > 0
                          ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                          : SIZE_MAX;
  if (const auto levels = host::cgroup_levels({}, "memory")) {
    if (const auto binding = host::binding_memory_limit(*levels); binding && binding->limit > 0)
      bytes = std::min(bytes, static_cast<std::size_t>(binding->limit));
  }
  return bytes;
}

// Processes of this job on this machine, as torchrun tells; absent where nobody does.
std::optional<int> told_processes() {
  const char* const said = std::getenv("LOCAL_WORLD_SIZE");
  const std::int64_t told = said == nullptr ? 0 : std::atoll(said);
  return told >= 1 && told <= kMostProcesses ? std::optional(static_cast<int>(told)) : std::nullopt;
}

// Where it is not told, all ranks may be here.
std::int64_t processes_here(std::int64_t ranks) { return told_processes().value_or(ranks); }

// Each process could win by outnumbering the others until all have too many threads: where there
// are several, none goes beyond the cores, but where it waits for bytes.
int most_threads(int cores) {
  const int processes = told_processes().value_or(1);
  const int alone = std::max(kThreadsPerCore * cores, kFewestMostThreads);
  return std::min(Engine::kMaxThreads,
                  processes == 1 ? alone : std::max(cores, kFewestMostThreads / processes));
}

// Where nothing is said: the cores, of which a tuned loader begins with its process's share.
int first_threads(const spec::LoaderSpec& spec) {
  if (spec.threads > 0) return spec.threads;
  return spec.tune ? std::max(1, usable_cores() / told_processes().value_or(1)) : usable_cores();
}

// What the tuner may do; absent where it was not asked for, or the spec has both numbers.
std::optional<tune::Bounds> bounds_of(const spec::LoaderSpec& spec, std::size_t sample_bytes) {
  if (!spec.tune || (spec.threads > 0 && spec.loader.ahead > 0)) return std::nullopt;
  const host::UsableCpus cpus = host::usable_cpus({}, host::affinity_cpus());
  const auto processes = static_cast<std::size_t>(processes_here(spec.order.ranks));
  const std::size_t batch_bytes = std::max<std::size_t>(1, sample_bytes * spec.loader.batch_size);
  return tune::Bounds{
      .cores = std::min(cpus.quota.value_or(cpus.count), static_cast<double>(cpus.count)),
      .most_threads = most_threads(cpus.count),
      .most_ahead = std::clamp(memory_bytes() / kShareOfMemory / processes / batch_bytes,
                               kFirstAhead, kMostAhead),
      .batch_size = spec.loader.batch_size,
      .tune_threads = spec.threads == 0,
      .tune_ahead = spec.loader.ahead == 0};
}

const char* word(tune::Phase phase) {
  switch (phase) {
    case tune::Phase::kSeeding:
      return "measuring";
    case tune::Phase::kClimbing:
      return "trying";
    case tune::Phase::kResting:
      return "resting";
  }
  return "";
}

nlohmann::ordered_json tuning_json(const Loader& loader) {
  const tune::Tuner* tuner = loader.tuner();
  if (tuner == nullptr) return nullptr;
  auto changes = nlohmann::ordered_json::array();
  for (const tune::Change& one : tuner->changes()) {
    changes.push_back({{"at_s", static_cast<double>(one.at - loader.opened()) / base::kSecond},
                       {"threads", {one.from.threads, one.to.threads}},
                       {"ahead", {one.from.ahead, one.to.ahead}},
                       {"why", one.why},
                       {"after", one.looking}});
  }
  return {{"threads", tuner->bounds().tune_threads},
          {"ahead", tuner->bounds().tune_ahead},
          {"phase", word(tuner->phase())},
          {"changes", tuner->changes_made()},
          {"last_changes", std::move(changes)}};
}

// The stream of what is drawn for a whole batch: the last one, which no step of a chain has.
constexpr int kBatchStream = Draws::kStreams - 1;

}  // namespace

int usable_cores() { return host::usable_cpus({}, host::affinity_cpus()).count; }

MixPlan plan_mix(const ImageRecipe& recipe, const MixOptions& mix, const Batch& batch) {
  const std::uint32_t repeat = batch.repeats.empty() ? 0 : batch.repeats.front();
  const Draws draws(recipe.seed, epoch_of_repeat(batch.epoch, repeat),
                    static_cast<std::uint64_t>(batch.indices.front()));
  const transform::SampleShape& shape = recipe.chain.shape();
  return draw_mix(mix, shape.width, shape.height, draws.stream(kBatchStream));
}

void sample_axes(const transform::SampleShape& shape, std::int64_t axes[3]) {
  const bool channels_first = shape.layout == transform::Layout::kChannelsFirst;
  axes[0] = channels_first ? shape.channels : shape.height;
  axes[1] = channels_first ? shape.height : shape.width;
  axes[2] = channels_first ? shape.width : shape.channels;
}

// Mixes a batch on the thread that made its last sample.
static std::function<void(const Batch&)> finish_of(std::shared_ptr<const ImageRecipe> recipe,
                                                   const MixOptions& mix) {
  if (!mix.mixes()) return {};
  return [recipe = std::move(recipe), mix](const Batch& batch) {
    mix_samples(plan_mix(*recipe, mix, batch), recipe->chain.shape(), batch.indices.size(),
                batch.memory.get());
  };
}

namespace {

// What all kinds of samples have in common: threads, prefetch depth, tuning.
Result<Loader> start(const spec::LoaderSpec& spec, EngineOptions engine, LoaderOptions options,
                     MakeMaker make_maker) {
  options.tuning = bounds_of(spec, engine.sample_bytes);
  if (options.ahead == 0) options.ahead = kFirstAhead;
  engine.batch_size = options.batch_size;
  engine.ahead = options.ahead;
  auto started = Engine::start(engine, std::move(make_maker));
  if (!started) return std::unexpected(started.error());
  return Loader(std::move(*started), engine.sample_bytes, options);
}

// Threads that make arrays, where nothing is said: one writes about as fast as memory takes it; a
// second reads while the first waits for a disk.
constexpr int kArrayThreads = 2;
// A thread takes samples of about so many bytes at a time, so that asking for them costs little.
constexpr std::size_t kClaimBytes = std::size_t{1} << 17;

}  // namespace

Result<Loader> start_arrays(const spec::LoaderSpec& spec, std::shared_ptr<const ArraySource> arrays,
                            const ForDevice& device) {
  const std::size_t sample_bytes = arrays->most_sample_bytes();
  LoaderOptions options = spec.loader;
  options.part_bytes = [arrays](std::int64_t first) {
    std::vector<std::size_t> out;
    for (const ArrayPart& part : arrays->parts(first)) out.push_back(part.bytes());
    return out;
  };
  const EngineOptions engine{
      .threads = spec.threads > 0 ? spec.threads : std::min(first_threads(spec), kArrayThreads),
      .sample_bytes = sample_bytes,
      .extra_bytes = arrays->parts(0).size() * kArrayAlignment,
      .claim = std::max<std::size_t>(kClaimBytes / sample_bytes, 1),
      .pin = device.pin,
      .in_flight = device.in_flight};
  return start(spec, engine, options, [arrays] { return arrays->maker(arrays); });
}

Result<Loader> start_pictures(const spec::LoaderSpec& spec,
                              std::shared_ptr<const ImageRecipe> recipe, const MixOptions& mix,
                              const ForDevice& device) {
  const EngineOptions engine{.threads = first_threads(spec),
                             .sample_bytes = recipe->chain.shape().bytes(),
                             .extra_bytes = device.extra_bytes,
                             .finish = finish_of(recipe, mix),
                             .pin = device.pin,
                             .in_flight = device.in_flight};
  return start(spec, engine, spec.loader,
               [recipe = std::move(recipe)] { return std::make_unique<ImageMaker>(recipe); });
}

namespace {

Result<std::unique_ptr<OpenLoader>> open_array_loader(const spec::LoaderSpec& spec, bool more) {
  if (more || !spec.images.empty() || !spec.shards.empty() || !spec.packed.empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "beside \"tokens\" or \"arrays\" pictures are given; leave one of the two");
  }
  auto opened = spec::open_arrays(spec.arrays);
  if (!opened) return std::unexpected(opened.error());
  const std::shared_ptr<const ArraySource> arrays = std::move(*opened);
  const std::size_t sample_bytes = arrays->most_sample_bytes();
  auto loader = start_arrays(spec, arrays, {});
  if (!loader) return std::unexpected(loader.error());
  return std::unique_ptr<OpenLoader>(new OpenLoader{.samples = arrays,
                                                    .arrays = arrays,
                                                    .sample_bytes = sample_bytes,
                                                    .order = spec.order,
                                                    .loader = std::move(*loader),
                                                    .drop_last = spec.loader.drop_last,
                                                    .batch_size = spec.loader.batch_size,
                                                    .spec = spec});
}

}  // namespace

Result<std::unique_ptr<OpenLoader>> open_loader(const spec::LoaderSpec& spec,
                                                std::unique_ptr<Source> given) {
  if (spec.of_arrays()) return open_array_loader(spec, given != nullptr);
  auto source = open_source(spec, std::move(given));
  if (!source) return std::unexpected(source.error());
  auto chain = transform::Chain::make(spec.chain);
  if (!chain) return std::unexpected(chain.error());
  MixOptions mix = spec.mix;
  if (mix.classes == 0) mix.classes = static_cast<std::int64_t>(source->classes.size());
  if (auto checked = check(mix, chain->shape().type); !checked)
    return std::unexpected(checked.error());
  const std::size_t sample_bytes = chain->shape().bytes();
  auto cache = make_cache(spec.cache, *source->source, processes_here(spec.order.ranks));
  if (!cache) return std::unexpected(cache.error());
  auto recipe = std::make_shared<const ImageRecipe>(
      ImageRecipe{cached(std::move(source->source), *cache), std::move(*chain), spec.order.seed,
                  spec.decoding, cache->pictures(), cache->memory});
  auto loader = start_pictures(spec, recipe, mix, {});
  if (!loader) return std::unexpected(loader.error());
  return std::unique_ptr<OpenLoader>(new OpenLoader{.samples = recipe->source,
                                                    .recipe = recipe,
                                                    .sample_bytes = sample_bytes,
                                                    .classes = std::move(source->classes),
                                                    .order = spec.order,
                                                    .loader = std::move(*loader),
                                                    .mix = std::move(mix),
                                                    .cache = std::move(*cache),
                                                    .spec = spec});
}

Result<void> OpenLoader::begin_own(std::uint32_t epoch, std::int64_t drawn_so_far) {
  if (drawn_so_far < 0)
    return base::fail(base::ErrorCode::kInvalid, "fewer than no samples were drawn");
  plan = arrays != nullptr ? arrays->plan(epoch, order, batch_size, drop_last, drawn_so_far)
                           : EpochPlan{epoch_order(samples->size(), epoch, order, drawn_so_far)};
  drawn_before = std::min(drawn_so_far, samples->size());
  drawing = order.ranks;
  begun = true;
  if (device != nullptr) device->begin();
  return loader.begin(epoch, std::move(plan.order), plan.ends);
}

Result<void> OpenLoader::begin_with(std::uint32_t epoch, std::vector<std::int64_t> given) {
  plan = {};
  drawn_before = 0;
  drawing = 1;
  begun = true;
  if (device != nullptr) device->begin();
  return loader.begin(epoch, std::move(given));
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

namespace {

// How a stage's time divides; nothing where that was not looked at.
void add_stage(nlohmann::ordered_json& out, const std::string& name, const StageTimes& times,
               Stage stage) {
  const auto busy = times.busy(stage);
  if (!busy) return;
  out[name + "_busy_ns"] = *busy;
  out[name + "_blocked_ns"] = times.*stage - *busy;
}

}  // namespace

nlohmann::ordered_json figures_json(OpenLoader& open) {
  const EngineStats stats = open.loader.engine().stats();
  nlohmann::ordered_json out{{"threads", stats.threads},
                             {"ahead", open.loader.ahead()},
                             {"samples", stats.samples},
                             {"bad_samples", stats.bad_samples},
                             {"skipped_samples", open.loader.skipped()},
                             {"batches", stats.batches},
                             {"read_ns", stats.busy.read},
                             {"decode_ns", stats.busy.decode},
                             {"transform_ns", stats.busy.transform},
                             {"mix_ns", stats.busy.mix}};
  add_stage(out, "read", stats.busy, &StageSums::read);
  add_stage(out, "decode", stats.busy, &StageSums::decode);
  add_stage(out, "transform", stats.busy, &StageSums::transform);
  add_stage(out, "mix", stats.busy, &StageSums::mix);
  out["cpu_ns"] = stats.thread_times.cpu;
  out["thread_idle_ns"] = stats.thread_idle.total();
  out["idle_full_ns"] = stats.thread_idle.full;
  out["idle_starved_ns"] = stats.thread_idle.starved;
  out["idle_unasked_ns"] = stats.thread_idle.unasked;
  out["consumer_wait_ns"] = stats.consumer_wait;
  return out;
}

std::string stats_json(OpenLoader& open) {
  const bool here = open.owner == ::getpid();  // a child of fork() may not take the caches' locks
  nlohmann::ordered_json out = figures_json(open);
  out["tuning"] = tuning_json(open.loader);
  out["cache"] = here ? cache_json(open.cache) : nullptr;
  if (open.device != nullptr) out["h2d"] = device_json(*open.device);
  return out.dump();
}

}  // namespace flatout::data::abi
