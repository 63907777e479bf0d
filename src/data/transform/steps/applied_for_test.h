#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "data/transform/steps/steps.h"

namespace flatout::data::transform {

// A picture of that size after the step, as `sample` draws it.
template <class S>
Picture applied_to(const S& step, std::uint64_t sample, int width = 100, int height = 80) {
  Picture picture{Axis(width), Axis(height)};
  const auto applied = apply(step, Draws(5, 0, sample).stream(0), picture);
  EXPECT_TRUE(applied) << applied.error().message;
  return picture;
}

}  // namespace flatout::data::transform
