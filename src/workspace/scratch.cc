#include "workspace/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/process.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScratchLock = "lock";

std::string scratch_prefix() { return "flatout-" + std::to_string(::getuid()) + "-trial-"; }

// "<pid>-<start ticks>-<n>", what follows the scratch_prefix.
std::optional<base::ProcessId> parse_owner(std::string_view text) {
  base::ProcessId id;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto pid = std::from_chars(begin, end, id.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != '-' || id.pid <= 0) return {};
  const auto ticks = std::from_chars(pid.ptr + 1, end, id.start_ticks);
  if (ticks.ec != std::errc{} || ticks.ptr == end || *ticks.ptr != '-') return {};
  return id;
}

base::UniqueFd open_lock(const fs::path& dir, int flags) {
  return base::UniqueFd(
      ::open((dir / kScratchLock).c_str(), flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
}

// Whether nobody holds the lock; without a lock file its maker died at once.
bool scratch_is_free(const fs::path& dir) {
  const base::UniqueFd lock = open_lock(dir, 0);
  return !lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

// Names first: a folder that loses entries while it is read may skip some.
std::vector<std::string> names_in(int dir) {
  std::vector<std::string> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(dir), ::closedir);
  if (!stream) {
    ::close(dir);
    return out;
  }
  while (const dirent* const entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") out.emplace_back(name);
  }
  return out;
}

// errno, 0 = it is gone. `parent` may be written to.
int remove_at(int parent, const char* name, dev_t device) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return 0;
  if (errno != EISDIR && errno != EPERM) return errno;  // POSIX and Linux: it is a folder
  struct stat info{};
  if (::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  if (!S_ISDIR(info.st_mode)) return EPERM;
  if (info.st_dev != device) return EBUSY;  // somebody's mount
  if ((info.st_mode & 0700) != 0700 && ::fchmodat(parent, name, 0700, 0) != 0) return errno;
  const base::UniqueFd dir(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir) return errno;
  for (const std::string& child : names_in(::fcntl(dir.get(), F_DUPFD_CLOEXEC, 0))) {
    if (const int err = remove_at(dir.get(), child.c_str(), device); err != 0) return err;
  }
  return ::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace

base::Result<Scratch> Scratch::create(const fs::path& root) {
  static std::atomic<unsigned> made{0};
  const auto self = base::process_id(::getpid());
  if (!self) return std::unexpected(self.error());
  fs::path dir = root / (scratch_prefix() + std::to_string(self->pid) + "-" +
                         std::to_string(self->start_ticks) + "-" + std::to_string(++made));
  // mkdir refuses a name that is taken, a link included.
  if (::mkdir(dir.c_str(), 0700) != 0) {
    return base::fail_errno(errno, "cannot create directory " + dir.string());
  }
  base::UniqueFd lock;
  if (::chmod(dir.c_str(), 0700) == 0) lock = open_lock(dir, O_CREAT | O_EXCL);
  // A file system without locks keeps the pid alone.
  if (lock) ::flock(lock.get(), LOCK_EX | LOCK_NB);
  const int err = errno;
  Scratch out(std::move(dir), std::move(lock));
  if (!out.lock_) return base::fail_errno(err, "cannot write into " + out.dir_.string());
  return out;
}

Scratch::Scratch(Scratch&& other) noexcept
    : dir_(std::move(other.dir_)), lock_(std::move(other.lock_)) {
  other.dir_.clear();
}

Scratch::~Scratch() {
  if (!dir_.empty()) (void)remove_tree(dir_);
}

std::size_t sweep_scratch(const fs::path& root, const fs::path& proc) {
  std::size_t removed = 0;
  std::error_code err;
  fs::directory_iterator dir(root, err);
  for (; !err && dir != fs::directory_iterator(); dir.increment(err)) {
    const std::string name = dir->path().filename();
    if (!name.starts_with(scratch_prefix()) || !base::is_own_folder(dir->path())) continue;
    const auto owner = parse_owner(std::string_view(name).substr(scratch_prefix().size()));
    if (!owner || base::process_alive(*owner, proc) || !scratch_is_free(dir->path())) continue;
    if (remove_tree(dir->path())) ++removed;
  }
  return removed;
}

base::Result<void> remove_tree(const fs::path& path) {
  const fs::path parent = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  const base::UniqueFd dir(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat info{};
  if (!dir || ::fstatat(dir.get(), path.filename().c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return base::fail_errno(errno, "cannot remove " + path.string());
  }
  const int err = remove_at(dir.get(), path.filename().c_str(), info.st_dev);
  if (err != 0) return base::fail_errno(err, "cannot remove " + path.string());
  return {};
}

}  // namespace flatout::workspace
