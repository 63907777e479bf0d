// How each batch of a loader is mixed, and by whom.
#pragma once

#include <functional>
#include <memory>

#include "data/feed/batch_mix.h"
#include "data/feed/engine.h"
#include "data/feed/image_maker.h"

namespace flatout::data {

// Drawn for (seed, epoch, first sample of the batch): the same after a resume, for any number of
// threads and ranks that makes the same batch.
MixPlan plan_mix(const ImageRecipe& recipe, const MixOptions& mix, const Batch& batch);

// For EngineOptions::finish: mixes a batch on the thread that made its last sample. Empty where
// nothing is mixed.
std::function<void(const Batch&)> mix_when_made(std::shared_ptr<const ImageRecipe> recipe,
                                                const MixOptions& mix);

}  // namespace flatout::data
