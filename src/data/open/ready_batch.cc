#include "data/open/ready_batch.h"

#include <utility>

#include "data/open/open_loader.h"

namespace flatout::data {

using base::Result;

Result<std::unique_ptr<ReadyBatch>> next_on_host(OpenLoader& open) {
  auto made = open.loader.next();
  if (!made) return std::unexpected(made.error());
  if (!*made) return nullptr;
  auto out = std::make_unique<ReadyBatch>();
  out->made = std::move(**made);
  for (const std::int64_t index : out->made.indices)
    out->labels.push_back(open.samples->label(index));
  if (open.arrays != nullptr) out->arrays = open.arrays->parts(out->made.indices.front());
  if (!open.mix.mixes()) return out;
  const MixPlan plan = plan_mix(*open.recipe, open.mix, out->made);
  auto targets = mix_labels(plan, open.mix.classes, out->labels);
  if (!targets) return std::unexpected(targets.error());
  out->targets = std::move(*targets);
  out->classes = open.mix.classes;
  // A batch that lost samples could not be mixed before its gaps were closed.
  if (!out->made.bad.empty())
    mix_samples(plan, open.recipe->chain.shape(), out->labels.size(), out->made.memory.get());
  return out;
}

}  // namespace flatout::data
