#include "host/cgroup.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::host {
namespace {

// v1 says "none" as the largest multiple of a page.
constexpr std::int64_t kNoLimitFrom = std::int64_t{1} << 62;

// Each level is a path of its own; no hierarchy of any use is deeper.
constexpr std::ptrdiff_t kMostLevels = 256;

bool lists(std::string_view comma_list, std::string_view item) {
  while (!comma_list.empty()) {
    const auto comma = comma_list.find(',');
    if (comma_list.substr(0, comma) == item) return true;
    if (comma == std::string_view::npos) return false;
    comma_list.remove_prefix(comma + 1);
  }
  return false;
}

// The path of this process within the hierarchy: "ID:CONTROLLERS:PATH", where
// v2 has no controllers.
std::optional<std::string> own_path(std::string_view text, CgroupVersion version,
                                    std::string_view controller) {
  std::string_view line;
  while (next_line(text, line)) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool match =
        version == CgroupVersion::kV2 ? line.starts_with("0::") : lists(controllers, controller);
    if (match) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

struct Mount {
  std::string root;   // what of the hierarchy is mounted
  std::string point;  // where
};

// mountinfo spells blanks as \040 and the like.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto octal = text.substr(std::min(i + 1, text.size()), 3);
    const bool escape = text[i] == '\\' && octal.size() == 3 &&
                        std::ranges::all_of(octal, [](char c) { return c >= '0' && c <= '7'; });
    if (!escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>((octal[0] - '0') * 64 + (octal[1] - '0') * 8 + (octal[2] - '0'));
    i += 3;
  }
  return out;
}

// "36 35 98:0 /root /point options optional... - type device super-options".
std::vector<Mount> mounts(std::string_view text, CgroupVersion version,
                          std::string_view controller) {
  std::vector<Mount> found;
  std::string_view line;
  while (next_line(text, line)) {
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view tail = line.substr(dash + 3);
    const auto type = next_word(tail);
    next_word(tail);  // device
    const auto options = next_word(tail);
    const bool match = version == CgroupVersion::kV2
                           ? type == "cgroup2"
                           : type == "cgroup" && lists(options, controller);
    if (!match) continue;
    for (int skip = 0; skip < 3; ++skip) next_word(line);
    const auto root = next_word(line);
    found.push_back({.root = unescape(root), .point = unescape(next_word(line))});
  }
  return found;
}

// `path` below `root`, without a leading slash; absent when it is not below.
std::optional<std::string> below(const std::string& path, const std::string& root) {
  if (root == "/") return path.substr(std::min<std::size_t>(1, path.size()));
  if (!path.starts_with(root)) return std::nullopt;
  if (path.size() == root.size()) return "";
  return path[root.size()] == '/' ? std::optional(path.substr(root.size() + 1)) : std::nullopt;
}

bool directory_exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

std::vector<std::filesystem::path> levels_of(const std::filesystem::path& point,
                                             const std::string& relative) {
  std::vector<std::filesystem::path> dirs = {point};
  for (const auto& part : std::filesystem::path(relative)) {
    if (part.empty() || part == "." || part == "..") continue;
    dirs.push_back(dirs.back() / part);
  }
  std::ranges::reverse(dirs);
  return dirs;
}

// A container often sees a path of the host that it cannot reach; then what it
// has mounted is its own cgroup.
std::optional<CgroupLevels> locate(const Paths& paths, CgroupVersion version,
                                   std::string_view controller) {
  const auto cgroup_text = read_text(paths.proc / "self/cgroup");
  const auto path = cgroup_text ? own_path(*cgroup_text, version, controller) : std::nullopt;
  if (!path || std::ranges::count(*path, '/') > kMostLevels) return std::nullopt;
  const auto mount_text = read_text(paths.proc / "self/mountinfo");
  if (!mount_text) return std::nullopt;
  std::optional<CgroupLevels> fallback;
  for (const Mount& mount : mounts(*mount_text, version, controller)) {
    const auto point =
        paths.root / std::filesystem::path(mount.point).relative_path().lexically_normal();
    const auto relative = below(*path, mount.root);
    if (relative) {
      auto dirs = levels_of(point, *relative);
      if (directory_exists(dirs.front())) return CgroupLevels{version, std::move(dirs)};
    }
    if (!fallback && directory_exists(point)) fallback = CgroupLevels{version, {point}};
  }
  return fallback;
}

std::optional<std::string_view> read_word(const std::filesystem::path& file) {
  auto text = read_text(file);
  return text ? std::optional(next_word(*text)) : std::nullopt;
}

template <typename Value, typename Read>
std::optional<Binding<Value>> smallest(const CgroupLevels& levels, Read read) {
  std::optional<Binding<Value>> binding;
  for (const auto& dir : levels.dirs) {
    const auto limit = read(dir, levels.version);
    if (limit && (!binding || *limit < binding->limit)) binding = Binding<Value>{*limit, dir};
  }
  return binding;
}

// v2 has one hierarchy for all controllers; those it really has stand in
// cgroup.controllers of the directory (a hybrid system leaves it without).
bool has_controller(const CgroupLevels& levels, std::string_view controller) {
  const auto text = read_text(levels.dirs.front() / "cgroup.controllers");
  if (!text) return false;
  std::string_view rest = *text;
  for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
    if (word == controller) return true;
  }
  return false;
}

}  // namespace

std::optional<CgroupLevels> cgroup_levels(const Paths& paths, std::string_view controller) {
  // A controller that v1 has mounted is not in v2.
  if (auto v1 = locate(paths, CgroupVersion::kV1, controller)) return v1;
  auto v2 = locate(paths, CgroupVersion::kV2, controller);
  // A cgroup without the controller of its own is still bound by its ancestors.
  while (v2 && !v2->dirs.empty() && !has_controller(*v2, controller))
    v2->dirs.erase(v2->dirs.begin());
  return v2 && !v2->dirs.empty() ? v2 : std::nullopt;
}

std::optional<std::filesystem::path> own_cgroup_v2(const Paths& paths) {
  const auto v2 = locate(paths, CgroupVersion::kV2, "");
  // Every cgroup has a type but the root.
  if (!v2 || !read_text(v2->dirs.front() / "cgroup.type")) return std::nullopt;
  return v2->dirs.front();
}

std::optional<std::int64_t> memory_limit(const std::filesystem::path& dir, CgroupVersion version) {
  const auto word =
      read_word(dir / (version == CgroupVersion::kV2 ? "memory.max" : "memory.limit_in_bytes"));
  const auto limit = word ? parse_number<std::int64_t>(*word) : std::nullopt;
  return limit && *limit >= 0 && *limit < kNoLimitFrom ? limit : std::nullopt;
}

std::optional<double> cpu_quota(const std::filesystem::path& dir, CgroupVersion version) {
  std::optional<std::int64_t> quota;
  std::optional<std::int64_t> period;
  if (version == CgroupVersion::kV2) {
    auto text = read_text(dir / "cpu.max");  // "max 100000" or "150000 100000"
    if (!text) return std::nullopt;
    quota = next_number<std::int64_t>(*text);
    period = next_number<std::int64_t>(*text);
  } else {
    if (const auto word = read_word(dir / "cpu.cfs_quota_us")) {
      quota = parse_number<std::int64_t>(*word);  // -1 = none
    }
    if (const auto word = read_word(dir / "cpu.cfs_period_us")) {
      period = parse_number<std::int64_t>(*word);
    }
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<Binding<std::int64_t>> binding_memory_limit(const CgroupLevels& levels) {
  return smallest<std::int64_t>(levels, memory_limit);
}

std::optional<Binding<double>> binding_cpu_quota(const CgroupLevels& levels) {
  return smallest<double>(levels, cpu_quota);
}

}  // namespace flatout::host
