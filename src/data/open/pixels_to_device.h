// Pictures that go to a device as bytes, a quarter of what float32 takes, and become numbers there.
#pragma once

#include <memory>

#include "base/result.h"
#include "data/device/device_context.h"
#include "data/device/levels_table.h"
#include "data/feed/image_maker.h"
#include "data/spec/loader_spec.h"

namespace flatout::data {

struct PixelPlan {
  std::shared_ptr<const ImageRecipe> recipe;  // that makes bytes
  std::unique_ptr<device::LevelsTable> levels;
};

// How the pictures of `recipe`, which makes numbers, go there as bytes. kUnavailable, with the
// reason, where they do not.
base::Result<PixelPlan> plan_pixels(const ImageRecipe& recipe, const spec::LoaderSpec& spec,
                                    const std::shared_ptr<const device::DeviceContext>& context);

}  // namespace flatout::data
