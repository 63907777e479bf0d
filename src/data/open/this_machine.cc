#include "data/open/this_machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "host/cgroup.h"
#include "host/cpus.h"

namespace flatout::data {
namespace {

constexpr int kMostProcesses = 1 << 16;

std::size_t memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  std::size_t bytes = pages > 0 && page > 0
                          ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                          : SIZE_MAX;
  if (const auto levels = host::cgroup_levels({}, "memory")) {
    if (const auto binding = host::binding_memory_limit(*levels); binding && binding->limit > 0)
      bytes = std::min(bytes, static_cast<std::size_t>(binding->limit));
  }
  return bytes;
}

// As torchrun says it.
std::optional<int> told_processes() {
  const char* const said = std::getenv("LOCAL_WORLD_SIZE");
  const std::int64_t told = said == nullptr ? 0 : std::atoll(said);
  return told >= 1 && told <= kMostProcesses ? std::optional(static_cast<int>(told)) : std::nullopt;
}

}  // namespace

tune::Machine this_machine() {
  const host::UsableCpus cpus = host::usable_cpus({}, host::affinity_cpus());
  return {.cores = cpus.count,
          .cpus = std::min(cpus.quota.value_or(cpus.count), static_cast<double>(cpus.count)),
          .memory_bytes = memory_bytes(),
          .told_processes = told_processes()};
}

}  // namespace flatout::data
