// The orientation that a camera wrote beside the pixels (EXIF 2.32, tag 0x0112).
#pragma once

#include <cstddef>
#include <span>

namespace flatout::data {

// `segment` is the content of an APP1 marker, after its length. Gives 1..8, and 1 (upright) where
// there is no EXIF, no such tag, or a value that the standard does not have; 0 where the EXIF data
// do not begin as such, or the tag is no single short number, which readers understand differently.
int exif_orientation(std::span<const std::byte> segment);

}  // namespace flatout::data
