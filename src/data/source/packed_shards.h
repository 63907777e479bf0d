// Samples in flatout's shards: what `flatout pack` wrote.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "data/source/shard_layout.h"
#include "data/source/source.h"

namespace flatout::data {

// Never changed once it is open. A sample costs its name and 49 bytes; up to kMostOpenFiles files
// stay open.
class PackedShards final : public Source {
 public:
  static constexpr std::uint32_t kMostOpenFiles = 256;

  // Reads pack.json and the indices of all shards. Errors name the file: no pack.json (packing did
  // not end), an index or a data file that is missing, damaged, of another set or version, no
  // samples. Data that are too short are no error here: those of its samples that are not there
  // are.
  static base::Result<std::unique_ptr<PackedShards>> open(const std::filesystem::path& folder);

  const PackManifest& manifest() const { return manifest_; }

  std::int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  std::int64_t label(std::int64_t index) const override;
  std::string name(std::int64_t index) const override;
  std::string short_name(std::int64_t index) const override;

  // The sample's bytes; of a raw one, its pixels. Their checksum is compared.
  base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                ReadBuffer& buffer) const override;
  std::optional<SampleVersion> version(std::int64_t index) const override;

  std::optional<PixelSize> raw_size(std::int64_t index) const override;
  // The first time all of a sample is read, to compare its checksum; later the rows alone.
  base::Result<PixelView> read_rows(std::int64_t index, int first, int count,
                                    ReadBuffer& buffer) const override;

 private:
  struct Shard {
    ShardIndex index;
    std::string path;     // of its data
    base::UniqueFd file;  // where it stays open
  };
  struct Place {
    const Shard& shard;
    std::uint32_t index;  // in the shard
  };

  base::Result<void> add_shard(const std::filesystem::path& folder, std::uint32_t number);
  Place place_of(std::int64_t index) const;
  base::Result<std::span<std::byte>> read_part(std::int64_t index, std::uint64_t from,
                                               std::size_t count, ReadBuffer& buffer) const;

  PackManifest manifest_;
  std::vector<Shard> shards_;
  std::vector<std::int64_t> ends_;                 // samples up to the end of each shard
  std::unique_ptr<std::atomic<bool>[]> compared_;  // samples whose checksum was, and is right
};

// A shard's index, with the file's name in the message where it cannot be read.
base::Result<ShardIndex> read_shard_index(const std::filesystem::path& path);

// Whether a data file begins as the header of that shard.
base::Result<void> check_shard_data(int fd, const ShardFacts& facts, const std::string& path);

}  // namespace flatout::data
