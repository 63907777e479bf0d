// A working directory that a program may write to without changing it: in a mount
// namespace of the program's own, an overlayfs lies over the folder itself, so
// that absolute paths into it are covered as well. Needs CAP_SYS_ADMIN or
// user namespaces, Linux 5.11 for the latter. Main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/child.h"
#include "workspace/changes.h"
#include "workspace/mount_namespace.h"

namespace flatout::workspace {

// One overlayfs: the working directory's, one for each folder beyond it, and one for
// each mount below these.
struct OverlayLayer {
  std::filesystem::path target;       // what it lies over; also its lower layer
  std::filesystem::path upper, work;  // what the program writes goes to `upper`
  unsigned long flags = 0;            // of mount(2), as the target has them
  bool read_only = false;             // not an overlay: the target, but not to be written to
  std::string failure;                // "cannot lay an overlay over ..."
  bool beyond = false;                // outside cwd
  bool real = false;                  // only beyond: no overlay, it is written to for real
  bool mounted = false;               // below another layer, which would hide it
  std::filesystem::path small_file;   // in it, to try a copy-up with; "" = none was found
  std::string why_real = {};          // "Operation not permitted"
};

// Folders outside the working directory; all without links.
struct Beyond {
  std::vector<std::filesystem::path> folders = {};  // none in another, none in cwd
  std::vector<std::filesystem::path> keep = {};  // strictly below them and not below cwd: stay real
};

class Overlay {
 public:
  // Tries in a child process whether the kernel allows it, and how. `cwd` and
  // `keep` hold no links; `keep` are folders strictly below cwd that stay real.
  // Layers are kept in `scratch`, outside cwd and what is beyond. A folder beyond over
  // which no overlay can lie stays real; kUnavailable, with each cause, is for cwd.
  static base::Result<Overlay> make(const std::filesystem::path& cwd,
                                    const std::filesystem::path& scratch,
                                    std::vector<std::filesystem::path> keep,
                                    const Beyond& beyond = {});

  // Between fork and exec: only system calls. Ends in cwd, under the overlay.
  launch::SetupFailure enter() const;

  // Call both when no process of the program is left.
  base::Result<Changes> changed(std::size_t limit) const;
  // The same of the folders beyond; paths are absolute. Python's own caches of
  // compiled modules do not count.
  base::Result<Changes> changed_beyond(std::size_t limit) const;
  base::Result<void> renew();  // all that was written is gone

  // Mounts below cwd that no overlay can lie over; the program cannot write to them.
  std::vector<std::filesystem::path> read_only() const;
  const std::vector<OverlayLayer>& layers() const { return layers_; }
  std::size_t cwd_layer() const { return cwd_layer_; }

 private:
  Overlay(std::filesystem::path cwd, std::filesystem::path scratch,
          std::vector<std::filesystem::path> keep, const Beyond& beyond);
  void add_beyond(const std::vector<std::filesystem::path>& folders);
  base::Result<void> try_kind(bool user_namespace, bool& entered);
  void leave_unmapped_real();
  bool lay(std::size_t layer, int lower) const;

  std::filesystem::path cwd_;
  std::filesystem::path scratch_;
  std::vector<std::filesystem::path> keep_, keep_beyond_;
  std::vector<OverlayLayer> layers_;  // those beyond, cwd_layer_, those below cwd
  std::size_t cwd_layer_ = 0;
  bool user_namespace_ = false;
  MountNamespace namespace_;
  int generation_ = 0;
};

// What `upper` holds over `lower`, in order of path; `at` is put before each.
// kIo when a folder cannot be read.
base::Result<void> upper_changes(const std::filesystem::path& upper,
                                 const std::filesystem::path& lower,
                                 const std::filesystem::path& at, std::vector<Change>& out);

// The first thing below `dir` that the user may write to but whose owner or group
// cannot be written in a user namespace that maps only this uid and gid: an
// overlay cannot copy it up (EOVERFLOW). "" = none among the first `limit`.
std::filesystem::path unmapped_below(const std::filesystem::path& dir, std::size_t limit);

}  // namespace flatout::workspace
