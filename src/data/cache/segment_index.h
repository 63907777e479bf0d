// The list of what lies in a segment of the cache on disk, byte for byte: a header, then an entry
// for each sample, appended once the sample's bytes are written. Pure: nothing here touches files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/source/source.h"

namespace flatout::data::cache {

// XXH3, 128 bits, of everything that a SampleVersion says.
struct SampleKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const SampleKey&) const = default;
};
SampleKey key_of(const SampleVersion& version);

// Its 48 bytes, little endian: key 16, offset 8, bytes 4, zero 4, checksum 8, and the XXH3 of these
// 40 bytes. The header: "FLOCACHE", version 4, zero 4.
struct SegmentEntry {
  SampleKey key;
  std::uint64_t offset = 0;    // in the segment's data
  std::uint32_t bytes = 0;     // at least 1
  std::uint64_t checksum = 0;  // of the bytes: XXH3, 64 bits
  bool operator==(const SegmentEntry&) const = default;
};

constexpr std::size_t kSegmentHeaderBytes = 16;
constexpr std::size_t kSegmentEntryBytes = 48;
constexpr std::uint64_t kMostSegmentBytes = std::uint64_t{1} << 40;

std::string segment_header();
bool is_segment_header(std::string_view bytes);
std::string segment_entry_bytes(const SegmentEntry& entry);

struct SegmentEntries {
  std::vector<SegmentEntry> entries;
  std::size_t used = 0;     // bytes: whole entries; half a one at the end may still be written
  std::size_t damaged = 0;  // entries that were passed over
};

// What stands behind the header, or after the last whole entry. Any bytes are taken.
SegmentEntries read_segment_entries(std::string_view bytes);

}  // namespace flatout::data::cache
