#define XXH_INLINE_ALL
#include "data/cache/segment_index.h"

#include <xxhash.h>

#include "base/little_endian.h"
#include "data/source/shard_layout.h"

namespace flatout::data::cache {
namespace {

using base::append;
using base::load;

constexpr std::string_view kMagic = "FLOCACHE";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksumOffset = kSegmentEntryBytes - 8;

std::uint64_t checksum_of_entry(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), kChecksumOffset);
}

}  // namespace

SampleKey key_of(const SampleVersion& version) {
  std::string text = version.file;
  append(text, version.file_bytes);
  append(text, version.modified_ns);
  append(text, version.offset);
  append(text, version.bytes);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

std::string segment_header() {
  std::string out(kMagic);
  append(out, kVersion);
  append(out, std::uint32_t{0});
  return out;
}

bool is_segment_header(std::string_view bytes) {
  return bytes.substr(0, kSegmentHeaderBytes) == segment_header();
}

std::string segment_entry_bytes(const SegmentEntry& entry) {
  std::string out;
  append(out, entry.key.low);
  append(out, entry.key.high);
  append(out, entry.offset);
  append(out, entry.bytes);
  append(out, std::uint32_t{0});
  append(out, entry.checksum);
  append(out, checksum_of_entry(out));
  return out;
}

SegmentEntries read_segment_entries(std::string_view bytes) {
  SegmentEntries out;
  for (; bytes.size() - out.used >= kSegmentEntryBytes; out.used += kSegmentEntryBytes) {
    const std::string_view one = bytes.substr(out.used, kSegmentEntryBytes);
    const SegmentEntry entry{.key = {load<std::uint64_t>(one, 0), load<std::uint64_t>(one, 8)},
                             .offset = load<std::uint64_t>(one, 16),
                             .bytes = load<std::uint32_t>(one, 24),
                             .checksum = load<std::uint64_t>(one, 32)};
    const bool whole = load<std::uint64_t>(one, kChecksumOffset) == checksum_of_entry(one) &&
                       entry.bytes > 0 && entry.bytes <= kMostShardSampleBytes &&
                       entry.offset < kMostSegmentBytes;
    if (whole)
      out.entries.push_back(entry);
    else
      ++out.damaged;
  }
  return out;
}

}  // namespace flatout::data::cache
