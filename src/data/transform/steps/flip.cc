#include "data/transform/steps/bounds.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {

base::Result<void> check(const RandomHorizontalFlip& step) {
  return probability_within(step.probability);
}
base::Result<void> check(const RandomVerticalFlip& step) {
  return probability_within(step.probability);
}

base::Result<void> apply(const RandomHorizontalFlip& step, DrawStream stream, Picture& picture) {
  if (stream.uniform() < step.probability) picture.flip_columns();
  return {};
}

base::Result<void> apply(const RandomVerticalFlip& step, DrawStream stream, Picture& picture) {
  if (stream.uniform() < step.probability) picture.flip_rows();
  return {};
}

}  // namespace flatout::data::transform
