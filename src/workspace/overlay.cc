#include "workspace/overlay.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "workspace/mount_namespace.h"
#include "workspace/mounts.h"
#include "workspace/scratch.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMountsMax = 32;  // below cwd; more are rather a root file system
constexpr std::size_t kBeyondMax = 64;  // folders beyond, and mounts below them
constexpr std::size_t kLayersMax = kMountsMax + kBeyondMax + 1;
constexpr std::size_t kOwnersBeyond =
    5000;  // looked at in each folder beyond, perhaps over a network
constexpr std::size_t kSmallFileEntries = 500;
constexpr off_t kSmallFileBytes = 1 << 16;
constexpr std::size_t kOwnersMax = 100'000;  // looked at: a fraction of a second

// --- between fork and exec: system calls only ------------------------------

bool lay_overlay(const OverlayLayer& layer, int lower, bool user_namespace) {
  const int upper = open_path(layer.upper);
  const int work = open_path(layer.work);
  if (upper < 0 || work < 0) return false;
  Line options;
  // redirect_dir lets a folder be renamed that was there before; in a user
  // namespace the kernel refuses it, and rename(2) then gives EXDEV.
  options.add(user_namespace ? "userxattr" : "redirect_dir=on");
  options.add(",lowerdir=").add_fd(lower).add(",upperdir=").add_fd(upper);
  options.add(",workdir=").add_fd(work);
  return ::mount("overlay", layer.target.c_str(), "overlay", layer.flags, options.text()) == 0;
}

bool bind_read_only(const OverlayLayer& layer, int from) {
  return bind(from, layer.target, 0) &&
         ::mount(nullptr, layer.target.c_str(), nullptr,
                 MS_BIND | MS_REMOUNT | MS_RDONLY | layer.flags, nullptr) == 0;
}

bool is_overlay(const char* path) {
  struct statfs info{};
  if (::statfs(path, &info) != 0) return false;
  errno = ENOTSUP;
  return static_cast<std::uint32_t>(info.f_type) == OVERLAYFS_SUPER_MAGIC;
}

// ---------------------------------------------------------------------------

// What mount(2) was given for a file system, from what statvfs(3) reports.
unsigned long mount_flags(const fs::path& path) {
  struct statvfs info{};
  if (::statvfs(path.c_str(), &info) != 0) return 0;
  constexpr std::pair<unsigned long, unsigned long> kFlags[] = {
      {ST_RDONLY, MS_RDONLY}, {ST_NOSUID, MS_NOSUID},   {ST_NODEV, MS_NODEV},
      {ST_NOEXEC, MS_NOEXEC}, {ST_NOATIME, MS_NOATIME}, {ST_NODIRATIME, MS_NODIRATIME}};
  unsigned long out = 0;
  for (const auto& [told, flag] : kFlags) out |= (info.f_flag & told) != 0 ? flag : 0;
  return out;
}

OverlayLayer layer_over(const fs::path& target) {
  struct stat info{};
  ::lstat(target.c_str(), &info);
  return {.target = target,
          .upper = {},
          .work = {},
          .flags = mount_flags(target),
          .read_only = !S_ISDIR(info.st_mode),  // a single file is mounted there
          .failure = "cannot lay an overlay over " + target.string(),
          .small_file = {}};
}

// A file of the user's near the top of `dir`.
fs::path small_file_in(const fs::path& dir) {
  std::vector<fs::path> open = {dir};
  for (std::size_t next = 0, seen = 0; next < open.size() && seen < kSmallFileEntries; ++next) {
    std::error_code err;
    fs::directory_iterator entries(open[next], err);
    for (; !err && entries != fs::directory_iterator() && ++seen < kSmallFileEntries;
         entries.increment(err)) {
      struct stat info{};
      const fs::path& path = entries->path();
      if (::lstat(path.c_str(), &info) != 0 || info.st_uid != ::geteuid()) continue;
      if (S_ISDIR(info.st_mode)) open.push_back(path);
      const bool small = S_ISREG(info.st_mode) && info.st_size <= kSmallFileBytes;
      if (small && ::access(path.c_str(), W_OK) == 0) return path;
    }
  }
  return {};
}

// The upper folder is what the program sees of the target itself.
base::Result<void> make_upper(const fs::path& upper, const fs::path& target) {
  struct stat info{};
  if (::stat(target.c_str(), &info) != 0 || ::mkdir(upper.c_str(), 0700) != 0) {
    return base::fail_errno(errno, "cannot create directory " + upper.string());
  }
  // The owner where we may; a target that is not to be written to stays so.
  if (::chown(upper.c_str(), info.st_uid, info.st_gid) != 0) errno = 0;
  mode_t mode = info.st_mode & 07777;
  if (::access(target.c_str(), W_OK) != 0) mode &= ~static_cast<mode_t>(0222);
  const timespec times[] = {info.st_atim, info.st_mtim};
  if (::chmod(upper.c_str(), mode) != 0 || ::utimensat(AT_FDCWD, upper.c_str(), times, 0) != 0) {
    return base::fail_errno(errno, "cannot set the mode of " + upper.string());
  }
  return {};
}

struct Verdict {
  int err = 0;
  int layer = -1;       // that was refused, -1 = something else
  bool entered = true;  // false: not even a namespace, for lack of CAP_SYS_ADMIN
  char what[256] = {};  // "" = all is well
};

}  // namespace

Overlay::Overlay(fs::path cwd, fs::path scratch, std::vector<fs::path> keep, const Beyond& beyond)
    : cwd_(std::move(cwd)),
      scratch_(std::move(scratch)),
      keep_(std::move(keep)),
      keep_beyond_(beyond.keep) {
  add_beyond(beyond.folders);
  cwd_layer_ = layers_.size();
  layers_.push_back(layer_over(cwd_));
  for (const fs::path& mount : mounts_below(cwd_)) layers_.push_back(layer_over(mount));
}

void Overlay::add_beyond(const std::vector<fs::path>& folders) {
  std::vector<OverlayLayer> found;
  for (const fs::path& folder : folders) {
    found.push_back(layer_over(folder));
    for (const fs::path& mount : mounts_below(folder)) {
      if (in_or_same(mount, cwd_)) continue;
      found.push_back(layer_over(mount));
      found.back().mounted = true;
    }
  }
  // Too many are rather a root file system; then all of it stays real.
  if (found.size() > kBeyondMax) return;
  for (OverlayLayer& layer : found) {
    layer.beyond = true;
    layer.small_file = small_file_in(layer.target);
    layers_.push_back(std::move(layer));
  }
}

// Between fork and exec.
bool Overlay::lay(std::size_t index, int lower) const {
  const OverlayLayer& layer = layers_[index];
  if (layer.real) return !layer.mounted || bind(lower, layer.target, 0);
  if (lower < 0) return false;
  return layer.read_only ? bind_read_only(layer, lower)
                         : lay_overlay(layer, lower, user_namespace_);
}

launch::SetupFailure Overlay::enter() const {
  if (const launch::SetupFailure failure = namespace_.enter(user_namespace_);
      failure.what != nullptr) {
    return failure;
  }
  // Opened in this namespace, since a mount of another cannot be bound, and before
  // the overlays, under which they would be covered.
  int lower[kLayersMax] = {};
  int kept[kMountsMax] = {};
  int kept_beyond[kMountsMax] = {};
  for (std::size_t i = 0; i < layers_.size(); ++i) lower[i] = open_path(layers_[i].target);
  for (std::size_t i = 0; i < keep_.size(); ++i) kept[i] = open_path(keep_[i]);
  for (std::size_t i = 0; i < keep_beyond_.size(); ++i) kept_beyond[i] = open_path(keep_beyond_[i]);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    // Before cwd's own layer: cwd may lie in a cache.
    for (std::size_t k = 0; i == cwd_layer_ && k < keep_beyond_.size(); ++k) {
      if (kept_beyond[k] < 0 || !bind(kept_beyond[k], keep_beyond_[k], MS_REC)) {
        return setup_failed("cannot keep a cache out of the overlay");
      }
    }
    if (!lay(i, lower[i])) return setup_failed(layers_[i].failure.c_str());
  }
  for (std::size_t i = 0; i < keep_.size(); ++i) {
    if (kept[i] < 0 || !bind(kept[i], keep_[i], MS_REC)) {
      return setup_failed("cannot keep flatout's own folder out of the overlay");
    }
  }
  if (::chdir(cwd_.c_str()) != 0 || !is_overlay(".")) {
    return setup_failed("cannot enter the throwaway working directory");
  }
  return {};
}

namespace {

// 0, or errno: writes there once, which fails where layers do not fit together.
int try_to_write(const fs::path& dir, const std::string& name, const fs::path& small_file) {
  const std::string file = dir / name;
  const int fd = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
  if (fd >= 0 ? ::unlink(file.c_str()) != 0 : ::access(dir.c_str(), W_OK) == 0) return errno;
  if (small_file.empty()) return 0;
  // Opened to write, it is copied up, with all that its file system knows of it.
  const int copied = ::open(small_file.c_str(), O_WRONLY | O_CLOEXEC);
  if (copied < 0) return errno == ENOENT || errno == ETXTBSY ? 0 : errno;
  ::close(copied);
  return 0;
}

// Enters in a child, and writes there.
Verdict probe(const Overlay& overlay, std::span<const OverlayLayer> layers) {
  Verdict verdict{.err = EIO, .what = "cannot try an overlay"};
  int ends[2] = {};
  if (::pipe2(ends, O_CLOEXEC) != 0) return verdict;
  const base::UniqueFd in(ends[0]);
  base::UniqueFd out(ends[1]);
  const std::string file = ".flatout-probe-" + std::to_string(::getpid());
  const pid_t pid = ::fork();
  if (pid == 0) {
    Verdict seen;
    if (const launch::SetupFailure failure = overlay.enter(); failure.what != nullptr) {
      seen.err = failure.err;
      std::strncpy(seen.what, failure.what, sizeof seen.what - 1);
      for (std::size_t i = 0; i < layers.size(); ++i) {
        if (failure.what == layers[i].failure.c_str()) seen.layer = static_cast<int>(i);
      }
      seen.entered = std::strcmp(failure.what, MountNamespace::kNoNamespace) != 0;
    } else {
      for (std::size_t i = 0; i < layers.size() && seen.err == 0; ++i) {
        if (layers[i].read_only || layers[i].real) continue;
        const bool mount = !layers[i].beyond && i != overlay.cwd_layer();
        if (mount) continue;
        seen.err = try_to_write(layers[i].target, file, layers[i].small_file);
        if (seen.err != 0) seen.layer = static_cast<int>(i);
      }
      if (seen.err != 0)
        std::strncpy(seen.what, "cannot write under an overlay", sizeof seen.what - 1);
    }
    ::_exit(::write(out.get(), &seen, sizeof seen) == static_cast<ssize_t>(sizeof seen) ? 0 : 1);
  }
  out = base::UniqueFd();
  ssize_t n = 0;
  do {
    n = pid > 0 ? ::read(in.get(), &verdict, sizeof verdict) : 0;
  } while (n < 0 && errno == EINTR);
  while (pid > 0 && ::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return verdict;
}

}  // namespace

base::Result<void> Overlay::try_kind(bool user_namespace, bool& entered) {
  user_namespace_ = user_namespace;
  for (OverlayLayer& layer : layers_) {
    const bool file = layer_over(layer.target).read_only;
    layer.read_only = file && !layer.beyond;
    layer.real = layer.beyond && (file || (layer.flags & MS_RDONLY) != 0);
  }
  for (;;) {
    if (auto fresh = renew(); !fresh) return fresh;
    const Verdict verdict = probe(*this, layers_);
    entered = verdict.entered;
    if (verdict.what[0] == '\0') break;
    OverlayLayer* const refused =
        verdict.layer >= 0 ? &layers_[static_cast<std::size_t>(verdict.layer)] : nullptr;
    if (refused != nullptr && refused->beyond && !refused->real) {
      refused->real = true;
      refused->why_real = std::strerror(verdict.err);
      continue;
    }
    const bool of_cwd = refused != nullptr && refused == &layers_[cwd_layer_];
    if (refused != nullptr && !refused->beyond && !of_cwd && !refused->read_only) {
      refused->read_only = true;
      continue;
    }
    const std::string below = user_namespace && layers_.size() > cwd_layer_ + 1 && of_cwd
                                  ? ", with " + layers_[cwd_layer_ + 1].target.string() +
                                        " mounted below it only root can"
                                  : "";
    return base::fail(base::ErrorCode::kUnavailable,
                      std::string(verdict.what) + ": " + std::strerror(verdict.err) + below);
  }
  if (!user_namespace) return renew();
  if (const fs::path other = unmapped_below(cwd_, kOwnersMax); !other.empty()) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "an overlay cannot hold changes of " + other.string() +
                          ", which belongs to another user or group");
  }
  leave_unmapped_real();
  return renew();
}

void Overlay::leave_unmapped_real() {
  for (OverlayLayer& layer : layers_) {
    if (!layer.beyond || layer.real) continue;
    const fs::path other = unmapped_below(layer.target, kOwnersBeyond);
    if (other.empty()) continue;
    layer.real = true;
    layer.why_real = other.string() + " belongs to another user or group";
  }
}

base::Result<Overlay> Overlay::make(const fs::path& cwd, const fs::path& scratch,
                                    std::vector<fs::path> keep, const Beyond& beyond) {
  Overlay out(cwd, scratch, std::move(keep), beyond);
  const std::size_t in_cwd = out.layers_.size() - out.cwd_layer_;
  if (in_cwd > kMountsMax || out.keep_.size() > kMountsMax ||
      out.keep_beyond_.size() > kMountsMax) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "too many file systems are mounted below " + cwd.string());
  }
  bool entered = true;
  auto tried = out.try_kind(false, entered);
  if (!tried && !entered) tried = out.try_kind(true, entered);
  if (!tried) return std::unexpected(tried.error());
  return out;
}

base::Result<void> Overlay::renew() {
  const fs::path old = scratch_ / ("layers-" + std::to_string(generation_));
  // New folders, since the kernel may hold the old ones for a moment longer.
  const fs::path top = scratch_ / ("layers-" + std::to_string(++generation_));
  if (::mkdir(top.c_str(), 0700) != 0) {
    return base::fail_errno(errno, "cannot create directory " + top.string());
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    OverlayLayer& layer = layers_[i];
    if (layer.read_only || layer.real) continue;
    layer.upper = top / ("upper-" + std::to_string(i));
    layer.work = top / ("work-" + std::to_string(i));
    if (auto made = make_upper(layer.upper, layer.target); !made) return made;
    if (::mkdir(layer.work.c_str(), 0700) != 0) {
      return base::fail_errno(errno, "cannot create directory " + layer.work.string());
    }
  }
  return remove_tree(old);
}

std::vector<fs::path> Overlay::read_only() const {
  std::vector<fs::path> out;
  for (const OverlayLayer& layer : layers_) {
    if (layer.read_only) out.push_back(layer.target);
  }
  return out;
}

}  // namespace flatout::workspace
