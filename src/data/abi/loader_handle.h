// What a handle of flatout/data.h stands for.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/abi/loader_cache.h"
#include "data/abi/loader_device.h"
#include "data/feed/array_source.h"
#include "data/feed/batch_mix.h"
#include "data/feed/image_maker.h"
#include "data/feed/loader.h"
#include "data/source/source.h"
#include "data/spec/loader_spec.h"

namespace flatout::data::abi {

// Drawn for (seed, epoch, first sample of the batch): the same after a resume, for any number of
// threads and ranks that makes the same batch.
MixPlan plan_mix(const ImageRecipe& recipe, const MixOptions& mix, const Batch& batch);

struct OpenLoader {
  std::shared_ptr<const SampleList> samples = {};
  // One of the two: pictures, or arrays of numbers.
  std::shared_ptr<const ImageRecipe> recipe = {};
  std::shared_ptr<const ArraySource> arrays = {};
  std::size_t sample_bytes = 0;  // of one in a batch, at most
  std::vector<std::string> classes = {};
  OrderOptions order = {};
  Loader loader;
  // Where the epoch began: samples that all ranks had drawn of it, and how many draw along.
  std::int64_t drawn_before = 0;
  std::int64_t drawing = 1;
  MixOptions mix = {};
  bool drop_last = false;
  std::size_t batch_size = 1;
  EpochPlan plan = {};  // of arrays: the epoch's that is under way
  LoaderCache cache = {};
  pid_t owner = ::getpid();  // the process that opened it
  spec::LoaderSpec spec = {};
  bool begun = false;                         // an epoch, ever
  std::unique_ptr<LoaderDevice> device = {};  // null: batches stay in the host's memory

  // Begins an epoch in its own order, behind the `drawn` samples that all ranks had of it.
  base::Result<void> begin_own(std::uint32_t epoch, std::int64_t drawn);
  // Begins one with these samples, for this rank alone.
  base::Result<void> begin_with(std::uint32_t epoch, std::vector<std::int64_t> order);
  // Samples that all ranks drew of it, to the last batch that was handed over.
  std::int64_t drawn() const;
  // The same to the last one that the loader gave, which may still be on its way to a device.
  std::int64_t drawn_by_loader() const;

  // How the batch was mixed, or is to be.
  MixPlan mix_plan(const Batch& batch) const { return plan_mix(*recipe, mix, batch); }
};

// What is other for an engine whose batches go to a device.
struct ForDevice {
  std::shared_ptr<PagePin> pin = nullptr;
  std::size_t in_flight = 0;    // batches that may be on their way
  std::size_t extra_bytes = 0;  // of a batch of pictures, behind them
};

base::Result<Loader> start_pictures(const spec::LoaderSpec& spec,
                                    std::shared_ptr<const ImageRecipe> recipe,
                                    const MixOptions& mix, const ForDevice& device);
base::Result<Loader> start_arrays(const spec::LoaderSpec& spec,
                                  std::shared_ptr<const ArraySource> arrays,
                                  const ForDevice& device);

// A sample's three axes in the order in which they lie in memory.
void sample_axes(const transform::SampleShape& shape, std::int64_t axes[3]);

struct OpenSource {
  std::vector<std::string> classes;
  std::unique_ptr<Source> source;
};

// What the spec names, or `given`; kInvalid where that is nothing, or more than one.
base::Result<OpenSource> open_source(const spec::LoaderSpec& spec, std::unique_ptr<Source> given);

// Opens the folder that the spec names, or takes `given` where it is not null.
base::Result<std::unique_ptr<OpenLoader>> open_loader(const spec::LoaderSpec& spec,
                                                      std::unique_ptr<Source> given);

// CPUs that affinity and the quota of the cgroup leave to this process, at least 1.
int usable_cores();

// What its threads did since it was opened, and its settings now.
nlohmann::ordered_json figures_json(OpenLoader& open);
// With what was tuned and what is kept.
std::string stats_json(OpenLoader& open);

}  // namespace flatout::data::abi
