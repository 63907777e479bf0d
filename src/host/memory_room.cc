#include "host/memory_room.h"

#include <algorithm>
#include <filesystem>

#include "host/cgroup.h"
#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::host {
namespace {

std::optional<std::int64_t> number_in(const std::filesystem::path& file) {
  auto text = read_text(file);
  return text ? next_number<std::int64_t>(*text) : std::nullopt;
}

std::optional<std::int64_t> keyed_in(const std::filesystem::path& file, std::string_view key) {
  const auto text = read_text(file);
  return text ? keyed_number<std::int64_t>(*text, key) : std::nullopt;
}

std::optional<std::int64_t> room_in(const std::filesystem::path& dir, CgroupVersion version) {
  const bool v2 = version == CgroupVersion::kV2;
  auto limit = memory_limit(dir, version);
  const auto high = v2 ? number_in(dir / "memory.high") : std::nullopt;  // "max": no number
  if (high && *high >= 0) limit = std::min(limit.value_or(*high), *high);
  const auto used = number_in(dir / (v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (!limit || !used) return std::nullopt;
  const auto given_back =
      keyed_in(dir / "memory.stat", v2 ? "inactive_file" : "total_inactive_file");
  const std::int64_t held = std::max<std::int64_t>(0, *used - given_back.value_or(0));
  return std::max<std::int64_t>(0, *limit - held);
}

}  // namespace

std::optional<std::int64_t> memory_room_bytes(const Paths& paths) {
  std::optional<std::int64_t> room;
  const auto take = [&](std::optional<std::int64_t> bytes) {
    if (bytes && *bytes >= 0) room = std::min(room.value_or(*bytes), *bytes);
  };
  if (const auto kib = keyed_in(paths.proc / "meminfo", "MemAvailable:")) {
    if (*kib < (std::int64_t{1} << 50)) take(*kib * 1024);
  }
  if (const auto levels = cgroup_levels(paths, "memory")) {
    for (const auto& dir : levels->dirs) take(room_in(dir, levels->version));
  }
  return room;
}

std::optional<std::int64_t> oom_kills(const Paths& paths) {
  const auto levels = cgroup_levels(paths, "memory");
  if (!levels || levels->dirs.empty()) return std::nullopt;
  const bool v2 = levels->version == CgroupVersion::kV2;
  return keyed_in(levels->dirs.front() / (v2 ? "memory.events" : "memory.oom_control"), "oom_kill");
}

}  // namespace flatout::host
