#include "workspace/copy.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "base/file.h"
#include "workspace/mounts.h"
#include "workspace/scratch.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

std::int64_t ns_of(const timespec& time) { return time.tv_sec * base::kSecond + time.tv_nsec; }

std::string in_gib(std::uint64_t bytes) {
  const std::uint64_t tenths = (bytes * 10 + (1ULL << 29)) >> 30;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB";
}

// Calls `each` with the relative path of everything below `root`, parents first,
// in no other order; `each` says whether to go into a folder, and may end it all
// with an error. A folder that cannot be read is empty.
template <typename Each>
base::Result<void> walk(const fs::path& root, const Each& each) {
  std::vector<fs::path> open = {fs::path()};
  while (!open.empty()) {
    const fs::path at = std::move(open.back());
    open.pop_back();
    std::error_code err;
    fs::directory_iterator entries(root / at, err);
    for (; !err && entries != fs::directory_iterator(); entries.increment(err)) {
      const fs::path relative = at / entries->path().filename();
      base::Result<bool> into = each(relative);
      if (!into) return std::unexpected(into.error());
      if (*into) open.push_back(relative);
    }
  }
  return {};
}

base::Result<void> check_time(const base::Clock& clock, base::TimeNs deadline) {
  if (clock.monotonic() <= deadline) return {};
  return base::fail(ErrorCode::kTooLarge, "copying the folder takes too long");
}

// With the times of the link `like`.
base::Result<void> make_link(const fs::path& target, const fs::path& at, const fs::path& like) {
  struct stat info{};
  if (::symlink(target.c_str(), at.c_str()) != 0 || ::lstat(like.c_str(), &info) != 0) {
    return base::fail_errno(errno, "cannot create " + at.string());
  }
  const timespec times[] = {info.st_atim, info.st_mtim};
  ::utimensat(AT_FDCWD, at.c_str(), times, AT_SYMLINK_NOFOLLOW);  // not every file system can
  return {};
}

base::Result<void> check_room(const fs::path& dir, std::uint64_t bytes) {
  struct statvfs info{};
  if (::statvfs(dir.c_str(), &info) != 0) {
    return base::fail_errno(errno, "cannot use " + dir.string());
  }
  const std::uint64_t free = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  if (free > bytes) return {};
  return base::fail(ErrorCode::kIo,
                    dir.string() + " has " + in_gib(free) + " free, a copy takes " + in_gib(bytes));
}

}  // namespace

TreeCopy::Stamp TreeCopy::stamp_of(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {};
  return {.inode = info.st_ino,
          .size = static_cast<std::uint64_t>(info.st_size),
          .mode = info.st_mode,
          .changed_ns = ns_of(info.st_ctim),
          .modified_ns = ns_of(info.st_mtim)};
}

// A folder is what lies in it, so only its mode counts.
bool TreeCopy::differs(const Stamp& before, const Stamp& now) {
  if (before.mode != now.mode) return true;
  if (S_ISDIR(static_cast<mode_t>(now.mode))) return false;
  return before.inode != now.inode || before.size != now.size ||
         before.changed_ns != now.changed_ns || before.modified_ns != now.modified_ns;
}

bool TreeCopy::kept(const fs::path& relative) const {
  return std::ranges::find(keep_, from_ / relative) != keep_.end();
}

// File systems that the kernel makes up have no blocks (as df(1) shows them). Their
// files may be endless, or make a reader wait for ever.
void TreeCopy::find_unreal() {
  for (const fs::path& mount : mounts_below(from_)) {
    struct statfs info{};
    const bool known = ::statfs(mount.c_str(), &info) == 0;
    const bool memory = static_cast<std::uint32_t>(info.f_type) == TMPFS_MAGIC;
    if (!known || (info.f_blocks == 0 && !memory)) unreal_.push_back(mount);
  }
}

bool TreeCopy::unreal(const fs::path& relative) const {
  return std::ranges::find(unreal_, from_ / relative) != unreal_.end();
}

base::Result<void> TreeCopy::count(const CopyLimits& limits, const base::Clock& clock,
                                   base::TimeNs deadline) {
  std::map<fs::path, std::uint64_t> parts;  // bytes by what lies in the folder itself
  std::uint64_t bytes = 0;
  std::size_t entries = 0;
  auto counted = walk(from_, [&](const fs::path& relative) -> base::Result<bool> {
    if (auto in_time = check_time(clock, deadline); !in_time) {
      return std::unexpected(in_time.error());
    }
    const Stamp stamp = stamp_of(from_ / relative);
    const auto mode = static_cast<mode_t>(stamp.mode);
    if (unreal(relative)) return false;
    if (++entries > limits.entries) {
      return base::fail(ErrorCode::kTooLarge,
                        "the folder holds more than " + std::to_string(limits.entries) + " files");
    }
    if (S_ISREG(mode)) {
      bytes += stamp.size;
      parts[*relative.begin()] += stamp.size;
    }
    return S_ISDIR(mode) && !kept(relative);
  });
  if (!counted) return counted;
  if (bytes <= limits.bytes) return check_room(to_.parent_path(), bytes);
  const auto largest =
      std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; });
  return base::fail(ErrorCode::kTooLarge, "the folder holds " + in_gib(bytes) + ", of which " +
                                              largest->first.string() + " " +
                                              in_gib(largest->second) + ", and at most " +
                                              in_gib(limits.bytes) + " are copied");
}

// True for a folder that is to be gone into.
base::Result<bool> TreeCopy::copy_one(const fs::path& relative) {
  const fs::path from = from_ / relative;
  const fs::path to = to_ / relative;
  const auto mode = static_cast<mode_t>(stamp_of(from).mode);
  base::Result<void> done;
  if (kept(relative)) {
    done = make_link(from, to, from);
  } else if (unreal(relative)) {
    done = base::fail(ErrorCode::kUnavailable, "not on a disk");
  } else if (S_ISDIR(mode)) {
    if (::mkdir(to.c_str(), 0700) != 0) {
      return base::fail_errno(errno, "cannot create " + to.string());
    }
    if (::access(from.c_str(), R_OK | X_OK) != 0) ++left_out_;  // stays empty
  } else if (S_ISLNK(mode)) {
    std::error_code err;
    const fs::path target = fs::read_symlink(from, err);
    done = make_link(copied_link(target, relative.parent_path(), from_, to_), to, from);
  } else if (S_ISREG(mode)) {
    done = copy_regular(from, to);
  } else {
    done = base::fail(ErrorCode::kUnavailable, "neither file, folder nor link");
  }
  if (!done && done.error().code == ErrorCode::kUnavailable) {
    ++left_out_;
    return false;
  }
  if (!done) return std::unexpected(done.error());
  entries_[relative] = stamp_of(to);
  return S_ISDIR(mode) && !kept(relative);
}

// Modes and times of folders, which must be writable and change while they fill.
base::Result<void> TreeCopy::finish_folders() {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (!S_ISDIR(static_cast<mode_t>(entry->second.mode))) continue;
    const fs::path to = to_ / entry->first;
    struct stat info{};
    if (::stat((from_ / entry->first).c_str(), &info) != 0) continue;  // gone meanwhile
    if (::geteuid() == 0 && ::chown(to.c_str(), info.st_uid, info.st_gid) != 0) continue;
    const timespec times[] = {info.st_atim, info.st_mtim};
    if (::chmod(to.c_str(), info.st_mode & 07777) != 0 ||
        ::utimensat(AT_FDCWD, to.c_str(), times, 0) != 0) {
      return base::fail_errno(errno, "cannot set the mode of " + to.string());
    }
    entry->second = stamp_of(to);
  }
  return {};
}

base::Result<void> TreeCopy::copy_all(const base::Clock& clock, base::TimeNs deadline) {
  if (::mkdir(to_.c_str(), 0700) != 0) {
    return base::fail_errno(errno, "cannot create directory " + to_.string());
  }
  entries_[fs::path()] = stamp_of(to_);
  auto copied = walk(from_, [&](const fs::path& relative) -> base::Result<bool> {
    if (auto in_time = check_time(clock, deadline); !in_time) {
      return std::unexpected(in_time.error());
    }
    return copy_one(relative);
  });
  if (copied) copied = finish_folders();
  return copied;
}

base::Result<TreeCopy> TreeCopy::make(const fs::path& from, const fs::path& to,
                                      std::vector<fs::path> keep, const CopyLimits& limits,
                                      const base::Clock& clock) {
  TreeCopy out(from, to, std::move(keep));
  out.find_unreal();
  const base::TimeNs deadline = clock.monotonic() + limits.time;
  if (auto counted = out.count(limits, clock, deadline); !counted) {
    return std::unexpected(counted.error());
  }
  if (auto copied = out.copy_all(clock, deadline); !copied) {
    (void)remove_tree(to);
    return std::unexpected(copied.error());
  }
  return out;
}

std::vector<Change> TreeCopy::compare() const {
  std::vector<Change> out;
  // The program may have taken its own right to read a folder, which hides the rest.
  const auto open_folder = [this](const fs::path& relative, const Stamp& now) {
    const auto mode = static_cast<mode_t>(now.mode);
    const bool open = !S_ISDIR(mode) || (mode & 0500) == 0500;
    if (!open) ::chmod((to_ / relative).c_str(), (mode & 07777) | 0500);
  };
  for (const auto& [relative, before] : entries_) {
    const Stamp now = stamp_of(to_ / relative);
    if (now.mode == 0) {
      out.push_back({relative, ChangeKind::kDeleted});
    } else if (differs(before, now)) {
      out.push_back({relative, ChangeKind::kModified});
      open_folder(relative, now);
    }
  }
  (void)walk(to_, [&](const fs::path& relative) -> base::Result<bool> {
    const Stamp now = stamp_of(to_ / relative);
    if (!entries_.contains(relative)) {
      out.push_back({relative, ChangeKind::kCreated});
      open_folder(relative, now);
    }
    return S_ISDIR(static_cast<mode_t>(now.mode));
  });
  std::ranges::sort(out, {}, &Change::path);
  return out;
}

base::Result<Changes> TreeCopy::changed(std::size_t limit) const {
  Changes out{.entries = compare(), .total = 0};
  // A folder that is gone stands for what lay in it, as it does in an overlay.
  const auto with_its_folder = [this](const Change& change) {
    return change.kind == ChangeKind::kDeleted && !change.path.empty() &&
           !S_ISDIR(static_cast<mode_t>(stamp_of(to_ / change.path.parent_path()).mode));
  };
  std::erase_if(out.entries, with_its_folder);
  out.total = out.entries.size();
  out.entries.resize(std::min(limit, out.total));
  return out;
}

base::Result<void> TreeCopy::restore() {
  // A folder that lost its rights, or is new in the place of a file, stands in the
  // way of what lies in it; so modes first, then what is to go, then what comes back.
  const auto was_folder = [&](const fs::path& relative) {
    const auto entry = entries_.find(relative);
    return entry != entries_.end() && S_ISDIR(static_cast<mode_t>(entry->second.mode));
  };
  for (const auto& [relative, before] : entries_) {
    if (!S_ISDIR(static_cast<mode_t>(before.mode))) continue;
    const fs::path at = to_ / relative;
    if (S_ISDIR(static_cast<mode_t>(stamp_of(at).mode)) && ::chmod(at.c_str(), 0700) != 0) {
      return base::fail_errno(errno, "cannot set the mode of " + at.string());
    }
  }
  const std::vector<Change> changes = compare();
  for (const Change& change : changes) {
    const fs::path at = to_ / change.path;
    const bool both_folders =
        was_folder(change.path) && S_ISDIR(static_cast<mode_t>(stamp_of(at).mode));
    if (change.kind == ChangeKind::kDeleted || both_folders) continue;
    if (auto gone = remove_tree(at); !gone) return gone;
  }
  for (const Change& change : changes) {
    if (change.kind == ChangeKind::kCreated || stamp_of(to_ / change.path).mode != 0) continue;
    entries_.erase(change.path);  // not to come back where the original is gone
    if (stamp_of(from_ / change.path).mode == 0) continue;
    if (auto copied = copy_one(change.path); !copied) return std::unexpected(copied.error());
  }
  return finish_folders();
}

}  // namespace flatout::workspace
