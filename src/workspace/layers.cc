// What the upper layer of an overlayfs says: Documentation/filesystems/overlayfs.rst,
// "whiteouts and opaque directories".
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "workspace/overlay.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;

// Mode 0 where nothing is.
struct stat look(const fs::path& path) {
  struct stat info{};
  if (path.empty() || ::lstat(path.c_str(), &info) != 0) return {};
  return info;
}

bool is_whiteout(const struct stat& info) {
  return S_ISCHR(info.st_mode) && major(info.st_rdev) == 0 && minor(info.st_rdev) == 0;
}

// A folder that hides the one below it.
bool is_opaque(const fs::path& dir) {
  for (const char* const name : {"trusted.overlay.opaque", "user.overlay.opaque"}) {
    char value = 0;
    if (::lgetxattr(dir.c_str(), name, &value, 1) == 1 && value == 'y') return true;
  }
  return false;
}

base::Result<std::vector<fs::path>> sorted_names(const fs::path& dir) {
  std::vector<fs::path> out;
  std::error_code err;
  fs::directory_iterator entries(dir, err);
  if (err == std::errc::permission_denied && ::chmod(dir.c_str(), 0700) == 0) {
    err.clear();
    entries = fs::directory_iterator(dir, err);  // the program took its own right to read it
  }
  for (; !err && entries != fs::directory_iterator(); entries.increment(err)) {
    out.push_back(entries->path().filename());
  }
  if (err) return base::fail_errno(err.value(), "cannot read " + dir.string());
  std::ranges::sort(out);
  return out;
}

Changes first_of(std::vector<Change> found, std::size_t limit) {
  std::ranges::sort(found, {}, &Change::path);
  Changes out{.entries = {}, .total = found.size()};
  found.resize(std::min(limit, found.size()));
  out.entries = std::move(found);
  return out;
}

bool may_write(const fs::path& path, const struct stat& info) {
  return info.st_uid == ::geteuid() || ::access(path.c_str(), W_OK) == 0;
}

}  // namespace

base::Result<void> upper_changes(const fs::path& upper, const fs::path& lower, const fs::path& at,
                                 std::vector<Change>& out) {
  const auto names = sorted_names(upper);
  if (!names) return std::unexpected(names.error());
  for (const fs::path& name : *names) {
    const struct stat written = look(upper / name);
    if (written.st_mode == 0) continue;
    // No lower: nothing was there, or what was there is hidden.
    const struct stat before = look(lower.empty() ? lower : lower / name);
    if (is_whiteout(written)) {
      if (before.st_mode != 0) out.push_back({at / name, ChangeKind::kDeleted});
      continue;
    }
    const bool dir = S_ISDIR(written.st_mode);
    const bool merged = dir && S_ISDIR(before.st_mode) && !is_opaque(upper / name);
    // A merged folder is there because of what lies in it.
    if (!merged || written.st_mode != before.st_mode) {
      out.push_back(
          {at / name, before.st_mode != 0 ? ChangeKind::kModified : ChangeKind::kCreated});
    }
    if (!dir) continue;
    auto done = upper_changes(upper / name, merged ? lower / name : fs::path(), at / name, out);
    if (!done) return done;
  }
  return {};
}

base::Result<Changes> Overlay::changed(std::size_t limit) const {
  std::vector<Change> found;
  for (const OverlayLayer& layer : layers_) {
    if (layer.read_only || layer.beyond) continue;
    const fs::path at = layer.target == cwd_ ? fs::path() : layer.target.lexically_relative(cwd_);
    if (auto done = upper_changes(layer.upper, layer.target, at, found); !done) {
      return std::unexpected(done.error());
    }
  }
  return first_of(std::move(found), limit);
}

base::Result<Changes> Overlay::changed_beyond(std::size_t limit) const {
  std::vector<Change> found;
  for (const OverlayLayer& layer : layers_) {
    if (!layer.beyond || layer.real) continue;
    if (auto done = upper_changes(layer.upper, layer.target, layer.target, found); !done) {
      return std::unexpected(done.error());
    }
  }
  std::erase_if(found, [](const Change& change) {
    return std::ranges::find(change.path, "__pycache__") != change.path.end();
  });
  return first_of(std::move(found), limit);
}

fs::path unmapped_below(const fs::path& dir, std::size_t limit) {
  std::vector<fs::path> open = {dir};  // breadth first: folders near the top are written to most
  for (std::size_t next = 0; next < open.size() && next < limit; ++next) {
    const fs::path path = open[next];
    const struct stat info = look(path);
    if (info.st_mode == 0) continue;
    const bool foreign = info.st_uid != ::geteuid() || info.st_gid != ::getegid();
    if (foreign && !S_ISLNK(info.st_mode) && may_write(path, info)) return path;
    if (!S_ISDIR(info.st_mode)) continue;
    std::error_code err;
    fs::directory_iterator entries(path, err);
    for (; !err && entries != fs::directory_iterator() && open.size() < limit;
         entries.increment(err)) {
      open.push_back(entries->path());
    }
  }
  return {};
}

}  // namespace flatout::workspace
