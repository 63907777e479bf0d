// What an analysis of a kernel trace says of a device sums to the whole, whatever the trace holds.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "run/report.h"

namespace flatout::fuzz {

// Shares of the time are within it; what is achieved is a number.
inline void check_roofline(const run::RooflineReport& roofline) {
  const auto share = [](double value) { return value >= 0 && value <= 1 + 1e-9; };
  if (!share(roofline.known_share)) std::abort();
  for (const run::RooflineClassReport& one : roofline.classes) {
    if (!share(one.known_share) || !share(one.odd_dims_share.value_or(0))) std::abort();
    for (const auto& value : {one.tflops, one.gb_per_s, one.flops_per_byte, one.compute_share,
                              one.bandwidth_share, one.roof_share}) {
      if (!(value.value_or(0) >= 0) || !std::isfinite(value.value_or(0))) std::abort();
    }
  }
}

inline void check_queue(const run::QueueReport& queue) {
  if (!(queue.empty_share >= 0) || queue.empty_share > 1 + 1e-9) std::abort();
  if (!(queue.depth_mean >= 0) || queue.depth_mean > queue.depth_max + 1e-6) std::abort();
  if (queue.depth_median > queue.depth_p95 || queue.depth_p95 > queue.depth_max) std::abort();
}

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
    if (device.trace->roofline) check_roofline(*device.trace->roofline);
    if (device.trace->queue) check_queue(*device.trace->queue);
    if (!device.trace->idle_account) continue;
    const auto& shares = device.trace->idle_account->shares;
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (std::abs(sum - device.trace->idle) > 1e-6) std::abort();
  }
}

}  // namespace flatout::fuzz
