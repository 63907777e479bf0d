// Steps that hold other steps, and what draws among them, as users write them:
// {"random_apply": {"steps": ["grayscale"], "p": 0.2}}, {"random_choice": {"steps": [["grayscale"],
// []], "p": [1, 3]}}, {"random_order": {"steps": [[...], [...]]}}, {"timm_operation": {"op":
// "ShearX", "magnitude": 9}}.
#pragma once

#include <string>

#include "base/result.h"
#include "data/spec/json_object.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::spec {

constexpr int kMostDepth = 4;  // steps within steps

bool is_nested_step(const std::string& name);

// `depth` of the step itself, 0 in a chain. Parameters' bounds are Chain::make's to check.
base::Result<transform::Step> read_nested_step(const std::string& name, const Json& given,
                                               const std::string& where, int depth);

}  // namespace flatout::data::spec
