// Steps of a chain as users write them: {"random_resized_crop": {"size": 224}},
// {"random_resized_crop": 224} or, where all has a default, "random_horizontal_flip".
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::spec {

// `where` is how messages name it, `depth` how many steps it is within. Bounds of the parameters
// are Chain::make's to check.
base::Result<transform::Step> read_step(const nlohmann::json& json, const std::string& where,
                                        int depth = 0);

}  // namespace flatout::data::spec
