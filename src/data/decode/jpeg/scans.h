// What the scans of a JPEG file will need, and whether they are all there: told from its markers,
// before any is decoded and before memory is taken for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace flatout::data {

// A progressive file costs a walk over all its blocks a scan; no encoder writes more than a few
// dozen.
constexpr int kMostJpegScans = 500;

// Blocks that are visited, summed over the scans of a file that has several. A scan needs a few
// bytes for however many blocks, so a small file can ask for any work. Encoders need a bit a block
// for DC values, twice, and ten scans or so: even of a picture of one colour that is 22 visits a
// byte.
std::int64_t most_jpeg_visits(std::size_t file_bytes);

// Of the files that libjpeg-turbo decodes for us. kTooLarge: more scans, or work, than the file's
// bytes can be meant for. kInvalid: what versions of libjpeg-turbo decode to other pixels, or not
// at all, so that ours need not be Pillow's: lossless files (SOF3), and progressive ones that lack
// scans, whose missing coefficients are made up. What is not written as the standard has it passes:
// libjpeg-turbo says what it finds.
base::Result<void> check_jpeg_scans(std::span<const std::byte> file);

}  // namespace flatout::data
