// Any bytes as the index of a segment in a cache's folder, whose data are those of four samples:
// whatever it says, every sample comes as its source has it, and the folder goes on being used.
// The entries' own checksums are put right, so that what they say is looked at.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "data/cache/sample_disk.h"
#include "scratch.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
using flatout::base::Result;

constexpr std::int64_t kSamples = 4;
constexpr std::uint64_t kBudget = std::uint64_t{1} << 20;

std::string content(std::int64_t index) {
  return std::string(static_cast<std::size_t>(20 + index), static_cast<char>('a' + index));
}

class FourSamples final : public Source {
 public:
  std::int64_t size() const override { return kSamples; }
  std::int64_t label(std::int64_t) const override { return 0; }
  std::string name(std::int64_t index) const override { return "/far/" + std::to_string(index); }
  Result<std::span<const std::byte>> read(std::int64_t index, ReadBuffer& buffer) const override {
    const std::string bytes = content(index);
    const auto room = buffer.room(bytes.size());
    std::memcpy(room.data(), bytes.data(), bytes.size());
    return room;
  }
  std::optional<SampleVersion> version(std::int64_t index) const override {
    const std::uint64_t bytes = content(index).size();
    return SampleVersion{name(index), bytes, 7, 0, bytes};
  }
};

void seal(std::string& index) {
  for (std::size_t at = cache::kSegmentHeaderBytes; at + cache::kSegmentEntryBytes <= index.size();
       at += cache::kSegmentEntryBytes) {
    const std::size_t end = at + cache::kSegmentEntryBytes - 8;
    const std::uint64_t checksum = XXH3_64bits(index.data() + at, end - at);
    std::memcpy(index.data() + end, &checksum, sizeof checksum);
  }
}

// Twice, so that what the first loader stored is read by the second.
void read_all(const std::filesystem::path& folder) {
  const FourSamples source;
  for (int turn = 0; turn < 2; ++turn) {
    const auto disk = cache::SampleDisk::open(folder, kBudget, kSamples);
    if (!disk) std::abort();
    ReadBuffer buffer;
    for (std::int64_t index = 0; index < kSamples; ++index) {
      const auto bytes = (*disk)->read(index, source, buffer);
      const std::string right = content(index);
      if (!bytes || bytes->size() != right.size() ||
          std::memcmp(bytes->data(), right.data(), right.size()) != 0)
        std::abort();
    }
    const auto stats = (*disk)->stats();
    if (stats.hits + stats.misses != kSamples || (turn == 1 && stats.hits != kSamples))
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const flatout::fuzz::Scratch scratch;
  const auto folder = scratch.path() / "cache";
  std::filesystem::remove_all(folder);
  std::string index(reinterpret_cast<const char*>(data), size);
  seal(index);
  std::string samples;
  for (std::int64_t number = 0; number < kSamples; ++number) {
    samples.resize(static_cast<std::size_t>(30 * number));
    samples += content(number);
  }
  flatout::fuzz::write_file(folder / "segment-000003.index", index);
  flatout::fuzz::write_file(folder / "segment-000003.data", samples);
  read_all(folder);
  return 0;
}
