#include "trial/shared_memory.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <system_error>

#include "base/file.h"
#include "base/process.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMapsOfOneMax = 64U << 20;  // of one process; torch has 1 MiB

// "torch_<pid>_...": the pid.
std::optional<pid_t> maker_of(std::string_view name) {
  constexpr std::string_view kTorch = "torch_";
  if (!name.starts_with(kTorch)) return std::nullopt;
  name.remove_prefix(kTorch.size());
  pid_t pid = 0;
  const auto [end, err] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (err != std::errc{} || end == name.data() + name.size() || *end != '_') return std::nullopt;
  return pid;
}

bool lives(pid_t pid, const fs::path& proc) {
  const auto id = base::process_id(pid, proc);
  return id && base::process_alive(*id, proc);
}

bool names_nobody(std::string_view name) {
  return name.starts_with("psm_") || name.starts_with("nccl-");
}

// Names of the segments in /proc/<pid>/maps: "... inode   /dev/shm/name".
void read_maps(const fs::path& process, const std::string& shm, std::set<std::string>& out) {
  std::istringstream lines(base::read_file(process / "maps", kMapsOfOneMax).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(' ' + shm + '/');
    if (at != std::string::npos) out.insert(line.substr(at + shm.size() + 2));
  }
}

void read_fds(const fs::path& process, const fs::path& shm, std::set<std::string>& out) {
  std::error_code err;
  fs::directory_iterator fds(process / "fd", err);
  for (; !err && fds != fs::directory_iterator(); fds.increment(err)) {
    std::error_code none;
    const fs::path target = fs::read_symlink(fds->path(), none);
    if (!none && target.parent_path() == shm) out.insert(target.filename());
  }
}

std::vector<fs::path> processes(const fs::path& proc) {
  std::vector<fs::path> out;
  std::error_code err;
  fs::directory_iterator dir(proc, err);
  for (; !err && dir != fs::directory_iterator(); dir.increment(err)) {
    const std::string name = dir->path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos) out.push_back(dir->path());
  }
  return out;
}

// What any living process maps or holds; those of other users cannot be read,
// and cannot have opened a segment of ours, whose mode is 0600.
std::set<std::string> in_use(const SharedMemoryPaths& paths) {
  std::set<std::string> out;
  for (const fs::path& process : processes(paths.proc)) {
    read_maps(process, paths.shm.native(), out);
    read_fds(process, paths.shm, out);
  }
  return out;
}

}  // namespace

void TrialSharedMemory::look(std::span<const pid_t> living) {
  for (const pid_t pid : living) {
    read_maps(paths_.proc / std::to_string(pid), paths_.shm.native(), mapped_);
  }
}

std::vector<std::string> TrialSharedMemory::remove(const std::set<pid_t>& pids) const {
  std::vector<std::string> candidates;
  std::error_code err;
  fs::directory_iterator dir(paths_.shm, err);
  for (; !err && dir != fs::directory_iterator(); dir.increment(err)) {
    const std::string name = dir->path().filename();
    const auto maker = maker_of(name);
    const bool made_here = maker && pids.contains(*maker) && !lives(*maker, paths_.proc);
    if (!made_here && !(names_nobody(name) && mapped_.contains(name))) continue;
    struct stat info{};
    if (::lstat(dir->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const base::WallNs changed = info.st_ctim.tv_sec * base::kSecond + info.st_ctim.tv_nsec;
    if (info.st_uid == ::geteuid() && changed >= started_) candidates.push_back(name);
  }
  if (candidates.empty()) return {};
  const std::set<std::string> used = in_use(paths_);
  std::erase_if(candidates, [&](const std::string& name) {
    return used.contains(name) || ::unlink((paths_.shm / name).c_str()) != 0;
  });
  std::ranges::sort(candidates);
  return candidates;
}

}  // namespace flatout::trial
