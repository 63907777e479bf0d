// The bytes of a frame's header, shared by the encoder and the reader. Fields
// are little endian; this is the whole layout:
//
//   0  u64 checksum  XXH3-64, seeded with the frame's offset, of all that follows
//   8  u32 marker    what a reader looks for after damage
//  12  u8  type      FrameType
//  13  u8  flags     kZstd
//  14  u16 zero
//  16  u32 stored    bytes of payload in the file
//  20  u32 raw       bytes of payload after decompression
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/frame_log.h"

namespace flatout::store {

constexpr std::string_view kFrameMarker{
    "\xf1"
    "FR\xa7",
    4};
constexpr std::size_t kMarkerOffset = 8;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::uint8_t kZstd = 1;

struct FrameHeader {
  std::uint64_t checksum = 0;
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stored = 0;
  std::uint32_t raw = 0;
  std::size_t frame_bytes() const { return kFrameHeaderBytes + stored; }
};

// Checksum of a frame's bytes after the checksum itself.
std::uint64_t frame_checksum(std::string_view after_checksum, std::uint64_t offset);

// Why the first bytes of a log cannot be read, see FrameReader::open.
base::Result<void> check_file_header(std::string_view bytes, const std::string& name);

// False when the 24 bytes cannot be a frame's header.
bool parse_frame_header(std::string_view bytes, FrameHeader& out);

}  // namespace flatout::store
