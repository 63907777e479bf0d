#include "collect/limits.h"

#include "host/cgroup.h"
#include "host/cpus.h"
#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {
namespace {

std::string cpu_model(const host::Paths& paths) {
  auto text = host::read_text(paths.proc / "cpuinfo");
  if (!text) return {};
  std::string_view line;
  while (host::next_line(*text, line)) {
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
std::optional<bool> cpu_bf16(const host::Paths& paths) {
  auto text = host::read_text(paths.proc / "cpuinfo");
  if (!text) return std::nullopt;
  std::string_view line;
  while (host::next_line(*text, line)) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    return has_word(line, "avx512_bf16") || has_word(line, "amx_bf16") || has_word(line, "bf16");
  }
  return std::nullopt;
}

}  // namespace

Limits read_limits(const host::Paths& paths, int affinity) {
  Limits limits;
  const auto usable = host::usable_cpus(paths, affinity);
  limits.cpus = usable.count;
  limits.cpu_quota = usable.quota;
  limits.cpu_model = cpu_model(paths);
  limits.cpu_bf16 = cpu_bf16(paths);
  if (const auto levels = host::cgroup_levels(paths, "memory")) {
    if (const auto limit = host::binding_memory_limit(*levels))
      limits.memory_limit_bytes = limit->limit;
  }
  if (const auto text = host::read_text(paths.proc / "meminfo")) {
    const auto kib = host::keyed_number<std::int64_t>(*text, "MemTotal:");
    if (kib && *kib >= 0 && *kib < (std::int64_t{1} << 50)) limits.memory_bytes = *kib * 1024;
  }
  return limits;
}

}  // namespace flatout::collect
