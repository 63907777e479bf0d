// Ties the batches that workers fetched to the draws that delivered them.
#pragma once

#include <span>
#include <vector>

#include "analyse/contention.h"
#include "analyse/loader_stats.h"
#include "run/observed.h"
#include "run/timeline.h"

namespace flatout::analyse {

// The batches of one iterator's workers. Worker w of W fetches the batches
// w, w+W, w+2W, ... of the epoch; `sequence` numbers those of one process, so
// a batch lost from the recording leaves the others in place.
class IteratorBatches {
 public:
  // `begin_ns`, `end_ns`: time of the iterator; persistent workers serve
  // several iterators, one after the other.
  IteratorBatches(const run::Timeline& timeline, const run::IteratorFact& iterator,
                  std::int64_t begin_ns, std::int64_t end_ns);

  // The batch of the index-th draw; nullptr where it was not recorded.
  const run::Batch* at(std::size_t index) const;

 private:
  std::vector<std::vector<const run::Batch*>> of_worker_;  // sorted by sequence
};

// One entry for each draw of `draws` (all of one iterator, in order, from its
// first on) whose batch is known and that ended inside `window`.
std::vector<Delivery> match_deliveries(const IteratorBatches& batches, std::span<const Draw> draws,
                                       TimeWindow window);

}  // namespace flatout::analyse
