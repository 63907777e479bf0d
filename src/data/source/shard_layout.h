// flatout's shards, byte for byte (docs/formats/shards.md): "shard-00000.data" holds what samples
// consist of, "shard-00000.index" where each begins. The index is written once its data are whole,
// so a shard without one is not finished. Pure: nothing here touches files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::data {

// What the samples of a set are.
enum class ShardKind : std::uint16_t {
  kOriginal = 1,  // files as they were
  kJpeg = 2,      // JPEG files, made smaller
  kRaw = 3,       // rows of pixels, red, green, blue, 8 bits each, without gaps
};
const char* name_of(ShardKind kind);
// False where no kind has that name.
bool shard_kind_named(std::string_view name, ShardKind& out);

constexpr std::uint32_t kShardVersion = 1;
constexpr std::string_view kShardMagic = "FLOSHARD";  // what a data file begins with
constexpr std::string_view kIndexMagic = "FLOINDEX";  // and its index
constexpr std::size_t kShardHeaderBytes = 64;         // of either file
constexpr std::size_t kShardAlignment = 64;           // of a sample's first byte in the data
// Zeros after the last sample, so that who maps the data may look at whole words.
constexpr std::size_t kShardTailBytes = 64;
constexpr std::uint32_t kMostShardSamples = 1U << 24;
constexpr std::uint32_t kMostShards = 100'000;  // five digits in a name
constexpr std::size_t kMostShardSampleBytes = std::size_t{512} << 20;
constexpr std::uint32_t kMostRawSide = 1U << 16;

struct ShardRecord {
  std::uint64_t offset = 0;  // in the data
  std::uint32_t bytes = 0;   // at least 1
  std::int64_t label = 0;
  std::uint64_t checksum = 0;  // checksum_of the bytes
  std::uint32_t width = 0;     // of raw pixels; 0 for other kinds
  std::uint32_t height = 0;
  std::uint64_t number = 0;  // of the sample in what was packed
  bool operator==(const ShardRecord&) const = default;
};

struct ShardFacts {
  ShardKind kind = ShardKind::kOriginal;
  std::uint64_t set = 0;  // which set the shard belongs to, see PackManifest
  std::uint32_t shard = 0;
  // Of what was packed: samples [first, end) are here, or were left out.
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::uint64_t data_bytes = 0;  // of the whole data file
  bool operator==(const ShardFacts&) const = default;
};

// XXH3, 64 bits.
std::uint64_t checksum_of(std::span<const std::byte> bytes);

std::string shard_data_name(std::uint32_t shard);   // "shard-00007.data"
std::string shard_index_name(std::uint32_t shard);  // "shard-00007.index"
std::string shard_data_header(ShardKind kind, std::uint64_t set, std::uint32_t shard);

// Grows sample by sample, then is the index file.
class ShardIndexBuilder {
 public:
  void add(const ShardRecord& record, std::string_view name);
  std::size_t samples() const { return samples_; }
  std::string finish(const ShardFacts& facts) const;

 private:
  std::string records_;
  std::string names_;
  std::uint32_t samples_ = 0;
};

// An index file that was checked: every record lies within the data, every name within the file.
// Keeps the file's bytes and nothing else.
class ShardIndex {
 public:
  // kCorrupt, or kInvalid for another version, with what is wrong; the file's name is the caller's
  // to add.
  static base::Result<ShardIndex> parse(std::string file);

  const ShardFacts& facts() const { return facts_; }
  std::uint32_t samples() const { return samples_; }
  // `index` below samples().
  ShardRecord record(std::uint32_t index) const;
  std::string_view name(std::uint32_t index) const;

 private:
  std::uint32_t name_end(std::uint32_t index) const;

  std::string file_;
  ShardFacts facts_;
  std::uint32_t samples_ = 0;
};

// A set's own file, JSON, written when all shards are there.
struct PackManifest {
  std::uint64_t set = 0;  // stands for the samples' names and labels and how they were packed
  ShardKind kind = ShardKind::kOriginal;
  std::uint32_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t left_out = 0;  // samples that could not be packed
  int size = 0;                // of the shorter side; 0 for kOriginal
  int quality = 0;             // of kJpeg, else 0
  std::vector<std::string> classes = {};
};
constexpr const char* kPackManifestName = "pack.json";
constexpr std::size_t kMostManifestBytes = std::size_t{64} << 20;

std::string pack_manifest_text(const PackManifest& manifest);
base::Result<PackManifest> read_pack_manifest(std::string_view text);

}  // namespace flatout::data
