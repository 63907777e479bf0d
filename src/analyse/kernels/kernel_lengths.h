// How long kernels take, in buckets of powers of two of a microsecond.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "run/kernel_report.h"

namespace flatout::analyse {

class KernelLengths {
 public:
  void add(std::int64_t ns);  // below 0 counts as 0
  // From the shortest bucket that holds one to the longest; empty without kernels.
  std::vector<run::KernelBucketReport> buckets() const;

 private:
  // The first is below 1 us, the last from 2^30 us, 18 minutes, on.
  static constexpr std::size_t kBuckets = 32;
  static std::size_t bucket_of(std::int64_t ns);
  static double limit_us(std::size_t bucket);

  std::array<std::int64_t, kBuckets> counts_{};
  std::array<double, kBuckets> ns_{};
};

}  // namespace flatout::analyse
