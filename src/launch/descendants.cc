// The tree is read from the parent field of every process at once: a process that
// moves to its reaper while this reads is found under one parent or the other.
#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "launch/child.h"

namespace flatout::launch {
namespace {

struct Entry {
  pid_t pid = 0;
  pid_t parent = 0;
  bool zombie = false;
};

bool read_number(std::string_view text, pid_t& out) {
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), out);
  return err == std::errc{} && (end == text.data() + text.size() || *end == ' ');
}

// "pid (comm) S ppid ...", see proc(5).
std::optional<Entry> parse(std::string_view stat) {
  const auto close = stat.rfind(") ");
  Entry entry;
  if (close == std::string_view::npos || !read_number(stat, entry.pid)) return std::nullopt;
  const std::string_view rest = stat.substr(close + 2);
  if (rest.size() < 3 || !read_number(rest.substr(2), entry.parent)) return std::nullopt;
  entry.zombie = rest[0] == 'Z' || rest[0] == 'X';
  return entry;
}

std::multimap<pid_t, Entry> by_parent(const std::filesystem::path& proc) {
  std::multimap<pid_t, Entry> out;
  std::error_code err;
  std::filesystem::directory_iterator dir(proc, err);
  for (; !err && dir != std::filesystem::directory_iterator(); dir.increment(err)) {
    const std::string name = dir->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto stat = base::read_file(dir->path() / "stat", 4096);
    if (!stat) continue;  // it has ended
    if (const auto entry = parse(*stat)) out.emplace(entry->parent, *entry);
  }
  return out;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root, const std::filesystem::path& proc) {
  auto children = by_parent(proc);
  std::vector<pid_t> out;
  std::vector<pid_t> open = {root};
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto it = first; it != last; ++it) {
      open.push_back(it->second.pid);
      if (!it->second.zombie) out.push_back(it->second.pid);
    }
    children.erase(first, last);  // whatever was read, each is visited once
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace flatout::launch
