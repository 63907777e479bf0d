// What an analysis of a kernel trace says of a device sums to the whole, whatever the trace holds.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "run/report.h"

namespace flatout::fuzz {

inline void check_accounts(const run::Report& report) {
  for (const run::DeviceReport& device : report.devices) {
    if (!device.trace || device.trace->window_ms <= 0) continue;
    if (std::abs(device.trace->busy + device.trace->idle - 1) > 1e-6) std::abort();
    std::int64_t kernels = 0;
    for (const run::KernelBucketReport& bucket : device.trace->kernels.lengths) {
      kernels += bucket.count;
    }
    if (kernels < device.trace->kernels.count) std::abort();
    if (device.trace->free_work) {
      for (const auto& [work, share] : device.trace->free_work->saves) {
        if (!(share >= 0) || !(share <= 1)) std::abort();
      }
    }
    if (!device.trace->idle_account) continue;
    const auto& shares = device.trace->idle_account->shares;
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (std::abs(sum - device.trace->idle) > 1e-6) std::abort();
  }
}

}  // namespace flatout::fuzz
