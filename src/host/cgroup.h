// Where the cgroup of this process lies, for v1, v2 and both at once, nested,
// inside a container or not: /proc/self/cgroup says which cgroup, and
// /proc/self/mountinfo where its hierarchy can be seen (cgroups(7)).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "host/paths.h"

namespace flatout::host {

enum class CgroupVersion : std::uint8_t { kV1, kV2 };

// A controller's directories from this process's cgroup up to the highest that
// can be seen. A limit of any of them binds.
struct CgroupLevels {
  CgroupVersion version = CgroupVersion::kV2;
  std::vector<std::filesystem::path> dirs;  // own first
};

// Absent where no hierarchy has that controller ("memory", "cpu").
std::optional<CgroupLevels> cgroup_levels(const Paths& paths, std::string_view controller);

// The directory of this process's cgroup in the v2 hierarchy, whatever
// controllers it has; absent where that is the root, which stands for the
// machine, or cannot be seen.
std::optional<std::filesystem::path> own_cgroup_v2(const Paths& paths);

// Of one directory. Absent: there is no such file, or it says "no limit".
std::optional<std::int64_t> memory_limit(const std::filesystem::path& dir, CgroupVersion version);
std::optional<double> cpu_quota(const std::filesystem::path& dir, CgroupVersion version);

// The smallest limit of a controller's levels and the directory that sets it.
template <typename Value>
struct Binding {
  Value limit{};
  std::filesystem::path dir;
};
std::optional<Binding<std::int64_t>> binding_memory_limit(const CgroupLevels& levels);
std::optional<Binding<double>> binding_cpu_quota(const CgroupLevels& levels);

}  // namespace flatout::host
