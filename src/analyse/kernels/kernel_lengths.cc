#include "analyse/kernels/kernel_lengths.h"

#include <algorithm>
#include <bit>

namespace flatout::analyse {

std::size_t KernelLengths::bucket_of(std::int64_t ns) {
  const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns) / 1000);
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(us)), kBuckets - 1);
}

// Begin of the bucket.
double KernelLengths::limit_us(std::size_t bucket) {
  return bucket == 0 ? 0 : static_cast<double>(std::uint64_t{1} << (bucket - 1));
}

void KernelLengths::add(std::int64_t ns) {
  const std::size_t bucket = bucket_of(ns);
  ++counts_[bucket];
  ns_[bucket] += static_cast<double>(std::max<std::int64_t>(0, ns));
}

std::vector<run::KernelBucketReport> KernelLengths::buckets() const {
  const auto holds = [](std::int64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts_, holds) - counts_.begin();
  const auto past = std::find_if(counts_.rbegin(), counts_.rend(), holds).base() - counts_.begin();
  std::vector<run::KernelBucketReport> out;
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(past); ++i) {
    out.push_back({limit_us(i), limit_us(i + 1), counts_[i], ns_[i] / 1e6});
  }
  return out;
}

}  // namespace flatout::analyse
