// Whether Pillow may turn a picture that its EXIF tag says nothing of.
#pragma once

#include <cstddef>
#include <span>

namespace flatout::data {

// `orientation`: what the file's EXIF data gave, as exif_orientation() does. True where those are
// not plain, or where none of them turns the picture but something else in the file may: an XMP
// packet with tiff:Orientation, or text chunks of a PNG file that hold such data packed
// (Image.getexif of Pillow looks there). Rather true too often than too seldom.
bool is_orientation_unclear(std::span<const std::byte> file, int orientation);

}  // namespace flatout::data
