// The caches that a loader's description asks for.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "data/cache/sample_disk.h"
#include "data/cache/sample_memory.h"
#include "data/source/source.h"
#include "data/spec/cache_spec.h"

namespace flatout::data::abi {

struct LoaderCache {
  std::shared_ptr<cache::SampleMemory> memory;  // null: none
  bool decoded = false;                         // it keeps pixels
  std::shared_ptr<cache::SampleDisk> disk;      // null: none

  std::shared_ptr<cache::SampleMemory> pictures() const { return decoded ? memory : nullptr; }
};

// Bytes that a cache without a number of its own may take where `free_bytes` are left, shared with
// the other processes of a job.
std::uint64_t share_of_memory(std::int64_t free_bytes, std::int64_t processes);

// What is left alone: growth stops while machine or cgroup have less.
constexpr std::int64_t kMemoryFloorBytes = std::int64_t{1} << 30;

// Below so much, samples that are kept are given up.
constexpr std::int64_t kMemoryScarceBytes = kMemoryFloorBytes / 2;

// `processes`: of the job on this machine. kIo, with the folder, where that cannot be used.
base::Result<LoaderCache> make_cache(const spec::CacheSpec& spec, const Source& source,
                                     std::int64_t processes);

// `source`, or one around it that keeps what it reads.
std::unique_ptr<Source> cached(std::unique_ptr<Source> source, const LoaderCache& cache);

// null where nothing is kept.
nlohmann::ordered_json cache_json(const LoaderCache& cache);

}  // namespace flatout::data::abi
