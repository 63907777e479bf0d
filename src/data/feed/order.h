// Which samples an epoch draws, in which order, and which of them are this rank's.
#pragma once

#include <cstdint>
#include <vector>

namespace flatout::data {

struct OrderOptions {
  bool shuffle = false;
  std::uint64_t seed = 0;
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  // Where the samples do not divide by the ranks: leave the last ones out, or draw the first ones
  // again so that all ranks draw equally many.
  bool drop_uneven = false;
};

// The indices that `rank` draws of `samples` in `epoch`: every ranks-th of the whole order, as
// torch.utils.data.DistributedSampler shares them out, so that all ranks together draw the same
// samples at the same time however many they are. With `drawn`, what is left of it when all ranks
// together have drawn so many: also by another number of ranks. A pure function of its arguments; 8
// bytes a sample while it runs.
std::vector<std::int64_t> epoch_order(std::int64_t samples, std::uint32_t epoch,
                                      const OrderOptions& options, std::int64_t drawn = 0);

}  // namespace flatout::data
