// Batches of samples of like length, from an epoch's order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "data/feed/array_source.h"
#include "data/feed/order.h"

namespace flatout::data {

struct BucketOptions {
  std::size_t buckets = 1;
  std::size_t batch_size = 1;
  bool drop_last = false;  // each bucket's last batch where it is smaller
};

// The samples of `order` as all ranks together take them: each waits in its bucket, bucket_of() in
// [0, buckets), until that has a batch; what is left at the end makes a smaller batch of each
// bucket, in their order. Whole batches go to the ranks in turn; where they do not come out even,
// ranks without one take the epoch's first ones again, or, with drop_uneven, the last ones are left
// out. `drawn`: behind the batches that these many samples fill, for which the batch size and the
// buckets must be the same as before; the number of ranks may be another.
EpochPlan plan_buckets(const std::vector<std::int64_t>& order,
                       const std::function<std::size_t(std::int64_t)>& bucket_of,
                       const BucketOptions& buckets, const OrderOptions& ranks, std::int64_t drawn);

}  // namespace flatout::data
