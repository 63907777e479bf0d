#include "analyse/kernels/device_busy_time.h"

#include <algorithm>

#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"
#include "analyse/kernels/union_length.h"

namespace flatout::analyse {

DeviceBusyTime measure_busy_time(const run::Records<run::DeviceActivity>& activities,
                                 const run::NameTable& names, std::uint16_t device,
                                 const std::function<void(const DeviceGap&)>& gap) {
  UnionLength compute, kernels, all, comm;
  DeviceBusyTime time;
  NameCache classes(names, kernel_class);
  for (const run::DeviceActivity& activity : activities) {
    if (activity.device != device) continue;
    const std::int64_t begin = activity.begin_ns;
    const std::int64_t end = std::max(begin, activity.end_ns);
    if (!all.until()) time.begin_ns = begin;
    if (gap && all.until() && begin > *all.until()) gap({*all.until(), begin, activity});
    const bool copies = activity.kind == run::ActivityKind::kCopy;
    const bool collective = activity.kind == run::ActivityKind::kKernel &&
                            classes.of(activity.name) == KernelClass::kCollective;
    if (!copies && !collective) compute.add(begin, end);
    if (collective) comm.add(begin, end);
    if (!copies) kernels.add(begin, end);
    all.add(begin, end);
  }
  time.end_ns = all.until().value_or(0);
  time.busy_ns = all.sum();
  time.compute_ns = compute.sum();
  time.comm_ns = comm.sum();
  time.comm_exposed_ns = kernels.sum() - compute.sum();
  time.copy_exposed_ns = all.sum() - kernels.sum();
  return time;
}

}  // namespace flatout::analyse
