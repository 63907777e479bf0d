#include "data/tokens/bucket_plan.h"

#include <algorithm>

namespace flatout::data {
namespace {

// Batches of all ranks: samples one batch behind the other, and where each ends.
struct Batches {
  std::vector<std::int64_t> samples;
  std::vector<std::size_t> ends;

  std::size_t begin(std::size_t batch) const { return batch == 0 ? 0 : ends[batch - 1]; }

  void add(std::vector<std::int64_t>& waiting) {
    samples.insert(samples.end(), waiting.begin(), waiting.end());
    ends.push_back(samples.size());
    waiting.clear();
  }
};

Batches gather(const std::vector<std::int64_t>& order,
               const std::function<std::size_t(std::int64_t)>& bucket_of,
               const BucketOptions& options) {
  Batches out;
  out.samples.reserve(order.size());
  std::vector<std::vector<std::int64_t>> waiting(options.buckets);
  for (const std::int64_t sample : order) {
    auto& bucket = waiting[bucket_of(sample)];
    bucket.push_back(sample);
    if (bucket.size() == options.batch_size) out.add(bucket);
  }
  for (auto& bucket : waiting) {
    if (!bucket.empty() && !options.drop_last) out.add(bucket);
  }
  return out;
}

}  // namespace

EpochPlan plan_buckets(const std::vector<std::int64_t>& order,
                       const std::function<std::size_t(std::int64_t)>& bucket_of,
                       const BucketOptions& buckets, const OrderOptions& ranks,
                       std::int64_t drawn) {
  const Batches all = gather(order, bucket_of, buckets);
  const auto ranks_count = static_cast<std::size_t>(ranks.ranks);
  const std::size_t before = static_cast<std::size_t>(
      std::ranges::lower_bound(all.ends,
                               static_cast<std::size_t>(std::max<std::int64_t>(drawn, 0))) -
      all.ends.begin());
  // Batches behind those that `drawn` fills. A bound that it meets is that of the last one.
  const std::size_t first = drawn <= 0 ? 0 : std::min(before + 1, all.ends.size());
  const std::size_t left = all.ends.size() - first;
  const std::size_t turns =
      ranks.drop_uneven ? left / ranks_count : (left + ranks_count - 1) / ranks_count;
  EpochPlan out;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const std::size_t reached = first + (turn + 1) * ranks_count;
    const std::size_t batch =
        (first + turn * ranks_count + static_cast<std::size_t>(ranks.rank)) % all.ends.size();
    out.order.insert(out.order.end(),
                     all.samples.begin() + static_cast<std::ptrdiff_t>(all.begin(batch)),
                     all.samples.begin() + static_cast<std::ptrdiff_t>(all.ends[batch]));
    out.ends.push_back(out.order.size());
    out.drawn.push_back(
        static_cast<std::int64_t>(all.ends[std::min(reached, all.ends.size()) - 1]));
  }
  return out;
}

}  // namespace flatout::data
