#include "trial/cpu_sets.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "base/file.h"

namespace flatout::trial {
namespace {

constexpr std::size_t kMostCpus = CPU_SETSIZE;

// "0,4" or "0-1" begins with the least of the core's CPUs.
int first_number(const std::string& list, int otherwise) {
  int number = otherwise;
  (void)std::from_chars(list.data(), list.data() + list.size(), number);
  return number;
}

}  // namespace

std::vector<Cpus> cores_here(const std::filesystem::path& sys) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return {};
  std::map<int, Cpus> by_core;
  for (std::size_t i = 0; i < kMostCpus; ++i) {
    if (!CPU_ISSET(i, &mine)) continue;
    const int cpu = static_cast<int>(i);
    const auto list =
        base::read_file(sys / ("cpu" + std::to_string(cpu)) / "topology" / "thread_siblings_list");
    by_core[list ? first_number(*list, cpu) : cpu].push_back(cpu);
  }
  std::vector<Cpus> out;
  for (auto& [core, cpus] : by_core) out.push_back(std::move(cpus));
  return out;
}

std::optional<std::vector<Cpus>> share_out(const std::vector<Cpus>& cores, int count) {
  const auto sets = static_cast<std::size_t>(count);
  std::vector<Cpus> units = cores;
  if (units.size() < sets) {
    units.clear();
    for (const Cpus& core : cores) {
      for (const int cpu : core) units.push_back({cpu});
    }
  }
  if (units.size() < sets) return std::nullopt;
  std::vector<Cpus> out(sets);
  const std::size_t each = units.size() / sets;
  for (std::size_t i = 0; i < units.size(); ++i) {
    Cpus& to = out[std::min(i / each, sets - 1)];
    to.insert(to.end(), units[i].begin(), units[i].end());
  }
  for (Cpus& cpus : out) std::ranges::sort(cpus);
  return out;
}

}  // namespace flatout::trial
