// How large a picture may be, in every format.
#pragma once

#include <cstdint>

namespace flatout::data {

// Pillow's bound for "decompression bombs": twice Image.MAX_IMAGE_PIXELS.
constexpr std::int64_t kPillowsMostPixels = 2 * std::int64_t{89478485};

}  // namespace flatout::data
