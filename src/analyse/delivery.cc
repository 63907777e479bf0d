#include "analyse/delivery.h"

#include <algorithm>

namespace flatout::analyse {

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

const WorkerBatch* IteratorBatches::at(std::size_t index) const {
  const auto batches = from(index);
  return batches.empty() ? nullptr : batches.front();
}

bool IteratorBatches::fetches_later(std::size_t index, std::int64_t from_ns,
                                    std::int64_t to_ns) const {
  const auto batches = from(index);
  for (const WorkerBatch* later : batches.subspan(std::min<std::size_t>(1, batches.size()))) {
    if (later->begin_ns >= to_ns) return false;
    if (later->end_ns > from_ns) return true;
  }
  return false;
}

void match_deliveries(const IteratorBatches& batches, std::span<const Draw> draws,
                      TimeWindow window, std::vector<Delivery>& deliveries) {
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const Draw& draw = draws[i];
    const WorkerBatch* batch = draw.delivered ? batches.at(i) : nullptr;
    const bool inside = draw.end_ns > window.begin_ns && draw.end_ns <= window.end_ns;
    // A batch that ends after its draw is not its batch: the order was not the
    // assumed one (in_order=False), or records are missing.
    if (batch == nullptr || !inside || batch->end_ns > draw.end_ns) continue;
    Delivery delivery;
    delivery.wait_ns = draw.end_ns - draw.begin_ns;
    const std::int64_t ready_ns = std::max(draw.begin_ns, batch->end_ns);
    delivery.ready_wait_ns = draw.end_ns - ready_ns;
    delivery.worker_fetching = batches.fetches_later(i, ready_ns, draw.end_ns);
    if (batch->end_ns >= draw.begin_ns) delivery.transfer_ns = draw.end_ns - batch->end_ns;
    deliveries.push_back(delivery);
  }
}

}  // namespace flatout::analyse
