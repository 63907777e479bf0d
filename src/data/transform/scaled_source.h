// Pictures that are decoded at a part of their size, because a resize follows anyway.
#pragma once

#include "data/transform/steps/picture.h"

namespace flatout::data::transform {

// How a decoder's scaled pixels lie over the picture. They are whole groups of scale_denom pixels
// of the stored picture, counted from its upper left corner; where it is shown turned, that may be
// another one.
struct ScaledSource {
  // Of the stored side where the shown one is counted from its end; 0 where from its beginning.
  int width_from_end = 0;
  int height_from_end = 0;
};

// 1, 2, 4 or 8: the largest that leaves no fewer pixels in either direction than the first resize
// gives, which has to scale down in both.
int scale_denom(const Picture& picture);

// The same picture, made of pixels at 1/denom. Boxes stay where they are, between pixels where they
// must; at their edges, pixels of the scaled picture that lie partly within count as within.
void scale_source(Picture& picture, int denom, const ScaledSource& source);

}  // namespace flatout::data::transform
