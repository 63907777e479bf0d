// Kernels and copies of one device, summed by name and by direction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/activity.h"
#include "run/kernel_report.h"

namespace flatout::analyse {

class KernelSums {
 public:
  explicit KernelSums(const run::NameTable& names);  // which must outlive it

  void add(const run::DeviceActivity& activity);
  run::KernelsReport kernels() const;
  run::CopiesReport copies() const;

 private:
  struct OfName {
    std::int64_t count = 0;
    double ns = 0;
  };
  struct Direction {
    double ns = 0;
    double bytes = 0;
    bool bytes_known = false;
  };
  static std::optional<std::int64_t> bytes_of(const Direction& direction, bool any_copy);
  void add_copy(const run::DeviceActivity& activity, double ns);

  const run::NameTable& names_;
  std::vector<OfName> of_name_;
  std::int64_t short_ = 0;
  std::int64_t in_graphs_ = 0;
  std::int64_t copies_ = 0;
  Direction to_device_, to_host_;
  double pageable_bytes_ = 0;
  double placed_bytes_ = 0;  // from the host, from memory of which the kind is known
};

}  // namespace flatout::analyse
