#include "host/cpus.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "host/cgroup.h"

namespace flatout::host {

int affinity_cpus() {
  // The kernel wants a mask as large as its own: grow until it fits.
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(cpus), [](cpu_set_t* mask) { CPU_FREE(mask); });
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    if (set && ::sched_getaffinity(0, bytes, set.get()) == 0) {
      return std::max(1, CPU_COUNT_S(bytes, set.get()));
    }
  }
  return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

UsableCpus usable_cpus(const Paths& paths, int affinity) {
  UsableCpus usable{.count = std::max(1, affinity), .quota = std::nullopt};
  if (const auto levels = cgroup_levels(paths, "cpu")) {
    if (const auto binding = binding_cpu_quota(*levels)) usable.quota = binding->limit;
  }
  if (usable.quota && *usable.quota < usable.count)
    usable.count = std::max(1, static_cast<int>(std::ceil(*usable.quota)));
  return usable;
}

}  // namespace flatout::host
