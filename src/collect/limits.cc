#include "collect/limits.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "collect/cgroup/cgroup.h"
#include "collect/procfs/text_file.h"
#include "collect/text_fields.h"

namespace flatout::collect {
namespace {

std::string cpu_model(const HostPaths& paths) {
  auto text = read_text(paths.proc / "cpuinfo");
  if (!text) return {};
  std::string_view line;
  while (next_line(*text, line)) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string_view::npos) {
      return std::string(line.substr(colon + 2));
    }
  }
  return {};
}

bool has_word(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == std::string_view::npos) return false;
  const auto end = at + word.size();
  return at > 0 && line[at - 1] == ' ' && (end == line.size() || line[end] == ' ');
}

// By the first processor's flags: of unlike cores nobody knows which will compute.
std::optional<bool> cpu_bf16(const HostPaths& paths) {
  auto text = read_text(paths.proc / "cpuinfo");
  if (!text) return std::nullopt;
  std::string_view line;
  while (next_line(*text, line)) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    return has_word(line, "avx512_bf16") || has_word(line, "amx_bf16") || has_word(line, "bf16");
  }
  return std::nullopt;
}

}  // namespace

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

Limits read_limits(const HostPaths& paths, int affinity) {
  Limits limits;
  limits.cpus = std::max(1, affinity);
  limits.cpu_model = cpu_model(paths);
  limits.cpu_bf16 = cpu_bf16(paths);
  if (const auto levels = cgroup_levels(paths, "cpu")) {
    if (const auto quota = binding_cpu_quota(*levels)) limits.cpu_quota = quota->limit;
  }
  if (const auto levels = cgroup_levels(paths, "memory")) {
    if (const auto limit = binding_memory_limit(*levels)) limits.memory_limit_bytes = limit->limit;
  }
  if (limits.cpu_quota && *limits.cpu_quota < limits.cpus) {
    limits.cpus = std::max(1, static_cast<int>(std::ceil(*limits.cpu_quota)));
  }
  if (const auto text = read_text(paths.proc / "meminfo")) {
    const auto kib = keyed_number<std::int64_t>(*text, "MemTotal:");
    if (kib && *kib >= 0 && *kib < (std::int64_t{1} << 50)) limits.memory_bytes = *kib * 1024;
  }
  return limits;
}

}  // namespace flatout::collect
