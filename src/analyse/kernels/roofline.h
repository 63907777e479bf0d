// How near the kernels of a device come to what it can do, class by class, where the shapes of
// their ops are known.
//
// A kernel counts to the class of the op that launched it (op_instances.h), else to that of its
// name. FLOPs and bytes are the ops' least ones, so that what is achieved is a lower bound; the
// time is that of all kernels of these ops, one after the other. float32 counts against TF32's peak
// where a kernel of the op is one of tensor cores. Which roof binds: for each op, whether its FLOPs
// or its bytes would take the device longer; for a class, where most of that least time lies.
//
// Limits: bytes that a cache holds need no memory, so that a share of the bandwidth may be above 1.
// Kernels of compiled code and of CUDA graphs lie in no op: nothing is known of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analyse/kernels/device_peaks.h"
#include "analyse/kernels/host_timeline.h"
#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"
#include "analyse/kernels/op_instances.h"
#include "run/kernel_report.h"
#include "run/op_cost.h"

namespace flatout::analyse {

// Of one device.
class Roofline {
 public:
  // All must outlive it. `ops` may be null: nothing is known then.
  Roofline(const run::NameTable& names, const OpInstances* ops, const run::OpCostTable* costs);

  // A time begins whose calls are in `host`, which must outlive what is added.
  void begin(const HostTimeline& host) { host_ = &host; }
  void add(const run::DeviceActivity& activity);
  // `window_ns`: over which the device's FLOPs are spread. `peaks`: null where they are not known.
  // Absent where no shape is known.
  std::optional<run::RooflineReport> report(double window_ns, const DevicePeaks* peaks) const;

 private:
  static constexpr std::size_t kClasses = static_cast<std::size_t>(KernelClass::kElementwise) + 1;
  struct Kind {
    KernelClass kernel_class = KernelClass::kOther;
    bool tensor_cores = false;
  };
  struct Seen {
    double ns = 0;
    bool tensor_cores = false;
  };
  struct Sums;
  static Kind kind_of(std::string_view name);
  void add_to(Sums& sums, const run::OpCost& cost, const Seen& seen,
              const DevicePeaks* peaks) const;

  NameCache<Kind (*)(std::string_view)> kinds_;
  const OpInstances* ops_;
  const run::OpCostTable* costs_;
  const HostTimeline* host_ = nullptr;
  std::vector<Seen> seen_;                     // by number of the instance
  std::array<double, kClasses> unknown_ns_{};  // by class
};

}  // namespace flatout::analyse
