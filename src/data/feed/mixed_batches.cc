#include "data/feed/mixed_batches.h"

#include <cstdint>
#include <utility>

#include "data/draws.h"

namespace flatout::data {
namespace {

// The stream of what is drawn for a whole batch: the last one, which no step of a chain has.
constexpr int kBatchStream = Draws::kStreams - 1;

}  // namespace

MixPlan plan_mix(const ImageRecipe& recipe, const MixOptions& mix, const Batch& batch) {
  const std::uint32_t repeat = batch.repeats.empty() ? 0 : batch.repeats.front();
  const Draws draws(recipe.seed, epoch_of_repeat(batch.epoch, repeat),
                    static_cast<std::uint64_t>(batch.indices.front()));
  const transform::SampleShape& shape = recipe.chain.shape();
  return draw_mix(mix, shape.width, shape.height, draws.stream(kBatchStream));
}

std::function<void(const Batch&)> mix_when_made(std::shared_ptr<const ImageRecipe> recipe,
                                                const MixOptions& mix) {
  if (!mix.mixes()) return {};
  return [recipe = std::move(recipe), mix](const Batch& batch) {
    mix_samples(plan_mix(*recipe, mix, batch), recipe->chain.shape(), batch.indices.size(),
                batch.memory.get());
  };
}

}  // namespace flatout::data
