#include "launch/ring_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/file.h"

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

// File systems whose pages another machine, or a user-space server, must supply:
// numbers of statfs(2) and of each system's own headers.
struct RemoteKind {
  std::uint64_t magic;
  const char* name;
};
constexpr RemoteKind kRemote[] = {
    {0x6969, "NFS"},       {0x517B, "SMB"},        {0xFE534D42, "SMB2"},   {0xFF534D42, "CIFS"},
    {0x65735546, "FUSE"},  {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"},   {0x01021997, "9p"},
    {0x5346414F, "AFS"},   {0x6B414653, "AFS"},    {0x00C36400, "Ceph"},   {0x73757245, "Coda"},
    {0x7461636F, "OCFS2"}, {0x01161970, "GFS2"},   {0x19830326, "BeeGFS"}, {0xAAD7AAEA, "PanFS"},
    {0x564C, "NCP"},
};

// Bytes that are free in a root that may hold rings of this kind.
base::Result<std::uint64_t> suitable(const fs::path& root, RingKind kind, const DiskProbe& probe) {
  const auto magic = probe.magic(root);
  if (!magic) return std::unexpected(magic.error());
  const auto* const remote = std::ranges::find(kRemote, *magic, &RemoteKind::magic);
  if (remote != std::end(kRemote)) {
    return base::fail(ErrorCode::kUnavailable, root.string() + " is on " + remote->name);
  }
  auto free = probe.free_bytes(root);
  if (free && kind == RingKind::kFile && *free < kRingFreeBytesMin) {
    return base::fail(ErrorCode::kUnavailable,
                      root.string() + " has " + std::to_string(*free >> 20) + " MiB free, " +
                          std::to_string(kRingFreeBytesMin >> 20) + " are needed");
  }
  return free;
}

struct Root {
  fs::path path;
  std::uint64_t free_bytes = 0;
};

// The best first.
void put_in_order(std::vector<Root>& roots, RingKind kind) {
  const auto cramped = std::ranges::stable_partition(
      roots, [](const Root& root) { return root.free_bytes >= kAmpleBytes; });
  if (kind == RingKind::kSegment) {
    std::ranges::reverse(cramped);
  } else {
    std::ranges::stable_sort(cramped, std::ranges::greater{}, &Root::free_bytes);
  }
}

std::string ring_prefix() { return "flatout-" + std::to_string(::getuid()) + "-"; }

// mkdir refuses a name that is taken, a link included: nobody can have laid one.
base::Result<fs::path> create_in(const fs::path& root, std::string_view run_id, RingKind kind,
                                 const DiskProbe& probe) {
  fs::path dir = root / (ring_prefix() + std::string(run_id));
  if (::mkdir(dir.c_str(), 0700) != 0) {
    return base::fail_errno(errno, "cannot create directory " + dir.string());
  }
  base::Result<void> done;
  if (::chmod(dir.c_str(), 0700) != 0) {  // whatever the umask took
    done = base::fail_errno(errno, "cannot set the mode of " + dir.string());
  } else if (kind == RingKind::kFile) {
    done = probe.try_allocate(dir, kRingTrialBytes);
  }
  if (done) return dir;
  ::rmdir(dir.c_str());
  return std::unexpected(done.error());
}

// Opened as it is: a link in its place, a folder of somebody else or one that
// others may write into is refused.
base::Result<base::UniqueFd> open_own(const fs::path& dir) {
  base::UniqueFd fd(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && (errno == ELOOP || errno == ENOTDIR)) {
    return base::fail(ErrorCode::kInvalid, dir.string() + " is a link or no folder");
  }
  if (!fd) return base::fail_errno(errno, "cannot open " + dir.string());
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return base::fail_errno(errno, "cannot use " + dir.string());
  if (info.st_uid != ::getuid() || (info.st_mode & 0022) != 0) {
    return base::fail(ErrorCode::kInvalid, dir.string() + " is not a folder of this user alone");
  }
  return fd;
}

// What lies there: rings (inject/ring_file.cc), the ends of ranks (inject/peers.cc), what
// ranks agreed on (hooks/knobs/agreement.py), that hooks attached (hooks/__init__.py), the trial
// file of a probe, whose the folder is (owner_mark.h), and what a recorder that a script started
// has to say (cli/attach_verb.cc).
bool is_our_entry(std::string_view name) {
  constexpr std::string_view kNames[] = {".trial", ".owner", ".lock", "attached", "notes"};
  constexpr std::string_view kBegins[] = {"ring.", ".ring.", "end.", "knob."};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kBegins,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

// By the open folder, so that no name is looked up twice; unlinkat takes a link
// away and never what it leads to.
void remove_files(const base::UniqueFd& dir) {
  const int own = ::openat(dir.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const list = own < 0 ? nullptr : ::fdopendir(own);
  if (list == nullptr) {
    if (own >= 0) ::close(own);
    return;
  }
  while (const dirent* const entry = ::readdir(list)) {
    struct stat info{};
    if (!is_our_entry(entry->d_name)) continue;
    if (::fstatat(dir.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const bool removable = S_ISREG(info.st_mode) || S_ISLNK(info.st_mode);
    if (removable && info.st_uid == ::getuid()) {
      ::unlinkat(dir.get(), entry->d_name, 0);
    }
  }
  ::closedir(list);
}

}  // namespace

base::Result<std::uint64_t> SystemDisk::magic(const fs::path& dir) const {
  struct statfs info{};
  if (::statfs(dir.c_str(), &info) != 0)
    return base::fail_errno(errno, "cannot use " + dir.string());
  // 32 bits on every system; the field is wider and signed, which would spread
  // the top bit of SMB2 and CIFS.
  return static_cast<std::uint32_t>(info.f_type);
}

base::Result<std::uint64_t> SystemDisk::free_bytes(const fs::path& dir) const {
  struct statfs info{};
  if (::statfs(dir.c_str(), &info) != 0)
    return base::fail_errno(errno, "cannot use " + dir.string());
  return static_cast<std::uint64_t>(info.f_bavail) * static_cast<std::uint64_t>(info.f_bsize);
}

base::Result<void> SystemDisk::try_allocate(const fs::path& dir, std::uint64_t bytes) const {
  const fs::path file = dir / ".trial";
  const base::UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return base::fail_errno(errno, "cannot create " + file.string());
  const int err = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes));
  ::unlink(file.c_str());
  if (err != 0) return base::fail_errno(err, "cannot allocate a ring in " + dir.string());
  return {};
}

std::vector<fs::path> ring_roots(std::span<const std::string> env) {
  std::vector<fs::path> out = {"/dev/shm"};
  const auto temporary = env_value(env, "TMPDIR");
  if (temporary && temporary->starts_with('/')) out.emplace_back(*temporary);
  if (std::ranges::find(out, fs::path("/tmp")) == out.end()) out.emplace_back("/tmp");
  return out;
}

base::Result<fs::path> create_ring_dir(std::string_view run_id, std::span<const fs::path> roots,
                                       RingKind kind, const DiskProbe& probe) {
  if (run_id.empty() || run_id.contains('/')) {
    return base::fail(ErrorCode::kInvalid, "a run id cannot be \"" + std::string(run_id) + "\"");
  }
  std::string causes;
  const auto refuse = [&causes](const base::Error& error) {
    causes.append(causes.empty() ? "" : "; ").append(error.message);
  };
  std::vector<Root> fit;
  for (const fs::path& root : roots) {
    if (const auto free = suitable(root, kind, probe)) {
      fit.push_back({root, *free});
    } else {
      refuse(free.error());
    }
  }
  put_in_order(fit, kind);
  for (const Root& root : fit) {
    auto dir = create_in(root.path, run_id, kind, probe);
    if (dir) return dir;
    refuse(dir.error());
  }
  return base::fail(ErrorCode::kUnavailable, "hooks are off: no place for their shared memory (" +
                                                 causes +
                                                 "); set TMPDIR to a folder on a local disk");
}

base::Result<fs::path> own_ring_dir(const fs::path& said, std::string_view run_id,
                                    std::span<const fs::path> roots) {
  const std::string name = ring_prefix() + std::string(run_id);
  const bool named = !run_id.empty() && !run_id.contains('/');
  const auto root = std::ranges::find_if(
      roots, [&](const fs::path& known) { return known.is_absolute() && said == known / name; });
  if (!named || root == roots.end()) {
    return base::fail(ErrorCode::kInvalid,
                      said.string() + " is not where flatout keeps the rings of run " +
                          std::string(run_id) +
                          "; if TMPDIR was another when it ran, set it so again");
  }
  if (auto opened = open_own(*root / name); !opened) return std::unexpected(opened.error());
  return *root / name;
}

base::Result<void> remove_ring_dir(const fs::path& dir) {
  const std::string name = dir.filename();
  if (!name.starts_with(ring_prefix()) || name.size() == ring_prefix().size()) {
    return base::fail(ErrorCode::kInvalid, dir.string() + " is not a ring directory of this user");
  }
  auto opened = open_own(dir);
  if (!opened && opened.error().code == ErrorCode::kNotFound) return {};
  if (!opened) return std::unexpected(opened.error());
  remove_files(*opened);
  if (::rmdir(dir.c_str()) == 0 || errno == ENOENT) return {};
  if (errno == ENOTEMPTY || errno == EEXIST) {
    return base::fail(ErrorCode::kInvalid,
                      dir.string() + " holds files that are not flatout's; it is left as it is");
  }
  return base::fail_errno(errno, "cannot remove " + dir.string());
}

}  // namespace flatout::launch
