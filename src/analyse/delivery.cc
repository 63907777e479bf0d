#include "analyse/delivery.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

// Batches of one worker, which come one after the other.
bool fetched_between(std::span<const WorkerBatch* const> batches, std::int64_t from_ns,
                     std::int64_t to_ns) {
  const auto found = std::ranges::partition_point(
      batches, [&](const WorkerBatch* batch) { return batch->end_ns <= from_ns; });
  return found != batches.end() && (*found)->begin_ns < to_ns;
}

}  // namespace

std::vector<WorkerBatch>& WorkerBatches::of_new(pid_t pid, std::size_t count) {
  std::vector<WorkerBatch>& own = of_worker_[pid];
  own.reserve(count);
  return own;
}

std::span<const WorkerBatch> WorkerBatches::of(pid_t pid) const {
  const auto found = of_worker_.find(pid);
  if (found == of_worker_.end()) return {};
  return found->second;
}

IteratorBatches::IteratorBatches(const WorkerBatches& recorded, const run::IteratorFact& iterator,
                                 std::int64_t begin_ns, std::int64_t end_ns) {
  for (const std::int64_t pid : iterator.worker_pids) {
    std::vector<const WorkerBatch*>& own = of_worker_.emplace_back();
    for (const WorkerBatch& batch : recorded.of(static_cast<pid_t>(pid))) {
      if (batch.begin_ns >= begin_ns && batch.begin_ns < end_ns) own.push_back(&batch);
    }
    std::ranges::sort(own, {}, [](const WorkerBatch* batch) { return batch->sequence; });
  }
}

std::span<const WorkerBatch* const> IteratorBatches::from(std::size_t index) const {
  if (of_worker_.empty()) return {};
  const std::vector<const WorkerBatch*>& own = of_worker_[index % of_worker_.size()];
  if (own.empty()) return {};
  const std::uint64_t wanted = own.front()->sequence + index / of_worker_.size();
  const auto it = std::ranges::lower_bound(own, wanted, {}, [](const WorkerBatch* batch) {
    return static_cast<std::uint64_t>(batch->sequence);
  });
  if (it == own.end() || (*it)->sequence != wanted) return {};
  return {it, own.end()};
}

void match_deliveries(const IteratorBatches& batches, std::span<const Draw> draws,
                      TimeWindow window, std::vector<Delivery>& deliveries) {
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const Draw& draw = draws[i];
    const auto own = draw.delivered ? batches.from(i) : std::span<const WorkerBatch* const>();
    const bool inside = draw.end_ns > window.begin_ns && draw.end_ns <= window.end_ns;
    // A batch that ends after its draw is not its batch: the order was not the
    // assumed one (in_order=False), or records are missing.
    if (own.empty() || !inside || own.front()->end_ns > draw.end_ns) continue;
    const WorkerBatch* batch = own.front();
    Delivery delivery;
    delivery.wait_ns = draw.end_ns - draw.begin_ns;
    const std::int64_t ready_ns = std::max(draw.begin_ns, batch->end_ns);
    delivery.ready_wait_ns = draw.end_ns - ready_ns;
    delivery.worker_fetching = fetched_between(own.subspan(1), ready_ns, draw.end_ns);
    if (batch->end_ns >= draw.begin_ns) delivery.transfer_ns = draw.end_ns - batch->end_ns;
    deliveries.push_back(delivery);
  }
}

}  // namespace flatout::analyse
