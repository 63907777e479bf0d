// A loader as its description asks for it: a source, what is kept of it, threads that make batches,
// and the way that batches take to the program.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/cache/sample_caches.h"
#include "data/feed/array_source.h"
#include "data/feed/image_maker.h"
#include "data/feed/loader.h"
#include "data/feed/mixed_batches.h"
#include "data/feed/start_loader.h"
#include "data/open/device_delivery.h"
#include "data/open/ready_batch.h"
#include "data/open/run_report.h"
#include "data/source/source.h"
#include "data/spec/loader_spec.h"

namespace flatout::data {

// One thread at a time; another one may interrupt the engine.
struct OpenLoader {
  std::shared_ptr<const SampleList> samples = {};
  // One of the two: pictures, or arrays of numbers.
  std::shared_ptr<const ImageRecipe> recipe = {};
  std::shared_ptr<const ArraySource> arrays = {};
  std::size_t sample_bytes = 0;  // of one in a batch, at most
  std::vector<std::string> classes = {};
  Loader loader;
  // Where the epoch began: samples that all ranks had drawn of it, and how many draw along.
  std::int64_t drawn_before = 0;
  std::int64_t drawing = 1;
  MixOptions mix = {};
  EpochPlan plan = {};  // of arrays: the epoch's that is under way
  cache::SampleCaches caches = {};
  pid_t owner = ::getpid();  // the process that opened it
  spec::LoaderSpec spec = {};
  bool begun = false;                         // an epoch, ever
  std::unique_ptr<LoaderDevice> device = {};  // null: batches stay in the host's memory
  std::unique_ptr<RunReport> run = {};        // null: reports to no `flatout run`

  // Begins an epoch in its own order, behind the `drawn` samples that all ranks had of it.
  base::Result<void> begin_own(std::uint32_t epoch, std::int64_t drawn);
  // Begins one with these samples, for this rank alone. kInvalid where one of them is not there, or
  // where the set puts its batches together itself.
  base::Result<void> begin_with(std::uint32_t epoch, std::span<const std::int64_t> order);
  // Puts one more batch behind the epoch's order; errors as above, and those of Loader::append.
  base::Result<void> append(std::span<const std::int64_t> indices);
  // As if this epoch had drawn these before. kInvalid where one of them is not there.
  base::Result<void> count_as_drawn(std::span<const std::int64_t> indices);

  // The next batch, where the loader's batches go to; null at the end of the epoch.
  base::Result<std::unique_ptr<ReadyBatch>> next();

  // Samples that all ranks drew of it, to the last batch that was handed over.
  std::int64_t drawn() const;
  // The same to the last one that the loader gave, which may still be on its way to a device.
  std::int64_t drawn_by_loader() const;

  // No call follows: a `flatout run` around the program gets the last figures.
  void closing();

 private:
  base::Result<void> check_indices(std::span<const std::int64_t> indices) const;
  base::Result<void> start_own(std::uint32_t epoch, std::int64_t drawn_so_far);
  base::Result<void> start_with(std::uint32_t epoch, std::span<const std::int64_t> order);
};

// Opens what the spec names, or takes `given` where it is not null.
base::Result<std::unique_ptr<OpenLoader>> open_loader(const spec::LoaderSpec& spec,
                                                      std::unique_ptr<Source> given);

// What a loader of this description is started with.
StartOptions start_options(const spec::LoaderSpec& spec);

}  // namespace flatout::data
