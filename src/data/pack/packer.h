// A whole source into a folder of shards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/pack/sample_packer.h"
#include "data/source/shard_layout.h"
#include "data/source/source.h"

namespace flatout::data {

struct PackOptions {
  SampleForm form;
  // A shard is closed with the sample that makes its data this large, or more.
  std::uint64_t shard_bytes = std::uint64_t{256} << 20;
  int threads = 1;
};

struct PackProgress {
  std::int64_t done = 0;  // samples packed, left out, or found packed already
  std::int64_t total = 0;
  std::int64_t left_out = 0;
};

struct LeftOut {
  std::int64_t index = 0;
  std::string why;  // names the sample
};

struct PackReport {
  static constexpr std::size_t kMostLeftOut = 1000;  // more are counted, not listed

  std::int64_t samples = 0;  // in the shards
  std::int64_t left_out = 0;
  std::vector<LeftOut> named;  // of this run; those of finished shards were named then
  std::uint32_t shards = 0;
  std::uint32_t kept_shards = 0;  // finished by an earlier run, read again and found right
  std::uint64_t bytes = 0;        // of all files but pack.json
};

// Called by the caller's thread after each sample; false ends packing.
using OnPackProgress = std::function<bool(const PackProgress&)>;

// Packs all of `source` into `folder`, which is made where it is not there. A sample that cannot be
// read or decoded is left out and told. The bytes depend on the samples, their labels and short
// names, and on form and shard_bytes: not on threads, on the folder, or on how often packing was
// interrupted.
//
// A run that was ended at any moment is gone on with: shards that have an index are read again,
// kept where every checksum is right, and the rest is made. The source must be the same; names and
// labels are compared, contents are not.
//
// kExists: the folder holds another set, or one that was packed otherwise; another process packs
// into it. kInvalid: options out of bounds. kUnavailable: `on_progress` ended it; a sample
// found no memory, or no more files may be open. kIo: what could not be written.
base::Result<PackReport> pack(const Source& source, const std::vector<std::string>& classes,
                              const std::filesystem::path& folder, const PackOptions& options,
                              const OnPackProgress& on_progress);

}  // namespace flatout::data
