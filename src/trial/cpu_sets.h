// The CPUs of this process, shared out to trials that run at the same time, so
// that none takes another's. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace flatout::trial {

using Cpus = std::vector<int>;  // numbers, rising

// The CPUs that this process may use, by core: threads of one core stand together.
// Where the kernel does not tell, each is a core of its own.
std::vector<Cpus> cores_here(const std::filesystem::path& sys = "/sys/devices/system/cpu");

// `count` disjoint sets of the same number of whole cores, neighbours together (they
// share caches and memory); what is left over goes to the last. With more sets than
// cores, threads of a core are shared out. Absent with more sets than CPUs.
// Pure. `count` is at least 1.
std::optional<std::vector<Cpus>> share_out(const std::vector<Cpus>& cores, int count);

}  // namespace flatout::trial
