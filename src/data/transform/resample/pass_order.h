// Which of the two passes of a resize comes first. Pixels are rounded to 8 bits between the passes,
// so it shows in the last bit.
#pragma once

#include <cstdint>

#include "data/transform/resample/axis.h"

namespace flatout::data::transform {

enum class PassOrder : std::uint8_t {
  kRowsFirst,
  kColumnsFirst
};  // along rows, that is horizontally, or along columns

// As Pillow of that major version does it. Until 12 rows come first; from 13 on columns do where
// the height shrinks by more than twice what the width shrinks by (python-pillow/Pillow pull
// request 9549). Not followed: what 12.3 does with pictures that are more than a hundred times as
// high as wide.
PassOrder pillow_pass_order(int pillow_major, const Axis& x, const Axis& y);

}  // namespace flatout::data::transform
