// Steps that hold other steps and draw which of them happen, with torchvision's parameters and
// defaults; as steps.h has them. RandomErasing may not be within.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "data/draws.h"
#include "data/transform/steps/picture.h"

namespace flatout::data::transform {

struct StepLists;  // steps.h; lists of steps, each in order, which nobody changes

// All of the first list, or nothing.
struct RandomApply {
  std::shared_ptr<const StepLists> of;
  double probability = 0.5;
};

// One of the lists; `count` of them, one after the other, where that is more than 1.
struct RandomChoice {
  std::shared_ptr<const StepLists> of;
  std::vector<double> weights = {};  // one a list, not all 0; none: all alike
  int count = 1;
  bool distinct = false;  // none twice: a list that was drawn is left out of the next draw
};

// All lists, in any order.
struct RandomOrder {
  std::shared_ptr<const StepLists> of;
};

base::Result<void> check(const RandomApply& step);
base::Result<void> check(const RandomChoice& step);
base::Result<void> check(const RandomOrder& step);

base::Result<void> apply(const RandomApply& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomChoice& step, DrawStream stream, Picture& picture);
base::Result<void> apply(const RandomOrder& step, DrawStream stream, Picture& picture);

// A size that is known whatever is drawn.
std::optional<Size> nested_size(const RandomApply& step, std::optional<Size> before);
std::optional<Size> nested_size(const RandomChoice& step, std::optional<Size> before);
std::optional<Size> nested_size(const RandomOrder& step, std::optional<Size> before);

}  // namespace flatout::data::transform
