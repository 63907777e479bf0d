// Ties the batches that workers fetched to the draws that delivered them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyse/contention.h"
#include "analyse/loader_stats.h"
#include "run/observed.h"

namespace flatout::analyse {

// What is needed of each batch to find its draw.
struct WorkerBatch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t sequence = 0;
};

// Those of workers, by process, in the order of the recording.
class WorkerBatches {
 public:
  // Of a process that has none here yet, with room for `count`. Lives until the next call.
  std::vector<WorkerBatch>& of_new(pid_t pid, std::size_t count);
  std::span<const WorkerBatch> of(pid_t pid) const;

 private:
  std::map<pid_t, std::vector<WorkerBatch>> of_worker_;
};

// The batches of one iterator's workers. Worker w of W fetches the batches
// w, w+W, w+2W, ... of the epoch; `sequence` numbers those of one process, so
// a batch lost from the recording leaves the others in place.
class IteratorBatches {
 public:
  // `begin_ns`, `end_ns`: time of the iterator; persistent workers serve
  // several iterators, one after the other.
  IteratorBatches(const WorkerBatches& recorded, const run::IteratorFact& iterator,
                  std::int64_t begin_ns, std::int64_t end_ns);

  // The batch of the index-th draw, then the later ones of its worker; empty where it was not
  // recorded. They live as long as `recorded`.
  std::span<const WorkerBatch* const> from(std::size_t index) const;

 private:
  std::vector<std::vector<const WorkerBatch*>> of_worker_;  // sorted by sequence
};

// Adds an entry for each draw of `draws` (all of one iterator, in order, from its
// first on) whose batch is known and that ended inside `window`.
void match_deliveries(const IteratorBatches& batches, std::span<const Draw> draws,
                      TimeWindow window, std::vector<Delivery>& deliveries);

}  // namespace flatout::analyse
