// Pixels to JPEG files, by libjpeg-turbo.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "data/pixels.h"

namespace flatout::data {

// A baseline file, colours at half resolution in both directions (4:2:0; a picture of one channel
// is a grey file), Huffman tables of its own, no metadata. Quality as libjpeg counts it, 1 to 100.
// The same pixels give the same bytes on every machine. Any thread. kInvalid where libjpeg refuses:
// more than 65 500 pixels a side.
base::Result<std::vector<std::byte>> encode_jpeg(const PixelView& pixels, int quality);

}  // namespace flatout::data
