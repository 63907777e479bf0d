// Any bytes as a shard's index behind a right checksum, or as the file of a packed set: what is
// taken lies where it is told to, and a set's file is written and read again alike. First byte:
// which of the two.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "data/source/shard_layout.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kChecksumOffset = 56;

void seal(std::string& file) {
  if (file.size() < kShardHeaderBytes) return;
  const std::uint64_t header = XXH3_64bits(file.data(), kChecksumOffset);
  const std::uint64_t whole = XXH3_64bits_withSeed(file.data() + kShardHeaderBytes,
                                                   file.size() - kShardHeaderBytes, header);
  std::memcpy(file.data() + kChecksumOffset, &whole, sizeof whole);
}

void read_index(std::string file) {
  seal(file);
  const std::size_t size = file.size();
  const auto index = ShardIndex::parse(std::move(file));
  if (!index) return;
  std::size_t names = 0;
  for (std::uint32_t i = 0; i < index->samples(); ++i) {
    const ShardRecord record = index->record(i);
    const std::uint64_t end = record.offset + record.bytes;
    if (end < record.offset || end > index->facts().data_bytes) std::abort();
    if (record.width != 0 && std::uint64_t{3} * record.width * record.height != record.bytes)
      std::abort();
    names += index->name(i).size();
  }
  if (names > size) std::abort();
}

void read_manifest(const std::string& text) {
  const auto manifest = read_pack_manifest(text);
  if (!manifest) return;
  const std::string written = pack_manifest_text(*manifest);
  const auto again = read_pack_manifest(written);
  if (!again || pack_manifest_text(*again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    read_index(std::move(rest));
  } else {
    read_manifest(rest);
  }
  return 0;
}
