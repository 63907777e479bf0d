// Colours of a picture, each pixel by itself, as Pillow's ImageEnhance, ImageOps and conversions
// compute them for 8-bit pixels.
#pragma once

#include <cstdint>

#include "data/transform/change/planar_pixels.h"
#include "data/transform/kernels/kernels.h"

namespace flatout::data::transform {

struct ColourChange {
  enum class Kind : std::uint8_t {
    kBrightness,  // ImageEnhance.Brightness
    kContrast,    // ImageEnhance.Contrast: away from the picture's mean luma
    kSaturation,  // ImageEnhance.Color: away from each pixel's luma
    kHue,         // torchvision's adjust_hue on PIL pictures: HSV with 256 hues
    kGrey,        // luma in all channels
    // Of each channel by itself:
    kPosterize,     // ImageOps.posterize: only the upper bits
    kSolarize,      // ImageOps.solarize: values from a bound on are inverted
    kAutoContrast,  // ImageOps.autocontrast: from its least value to its largest over all of 0 to
                    // 255
    kEqualize,      // ImageOps.equalize: every value about as often as any other
    kInvert,        // ImageOps.invert
    kSolarizeAdd,   // timm's: values below 128 are made larger, to at most 255
  };
  Kind kind = Kind::kBrightness;
  // kHue: part of a turn, -0.5 to 0.5. kPosterize: bits that are kept, 0 to 8. kSolarize: the
  // bound. kSolarizeAdd: what is added, 0 to 128. Not for kGrey, kAutoContrast, kEqualize, kInvert.
  float factor = 1;
  bool operator==(const ColourChange&) const = default;
};

// In place. With one channel saturation, hue and grey change nothing, as in Pillow.
void change_colours(const ColourChange& change, const Kernels& kernels, const PlanarPixels& pixels);

}  // namespace flatout::data::transform
