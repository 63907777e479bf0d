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
#include "launch/workspace_changes.h"

namespace flatout::launch {

// One overlayfs: the working directory's, and one for each mount below it.
struct OverlayLayer {
  std::filesystem::path target;       // what it lies over; also its lower layer
  std::filesystem::path upper, work;  // what the program writes goes to `upper`
  unsigned long flags = 0;            // of mount(2), as the target has them
  bool read_only = false;             // not an overlay: the target, but not to be written to
  std::string failure;                // "cannot lay an overlay over ..."
};

class Overlay {
 public:
  // Tries in a child process whether the kernel allows it, and how. `cwd` and
  // `keep` hold no links; `keep` are folders strictly below cwd that stay real.
  // Layers are kept in `scratch`, outside cwd. kUnavailable with each cause.
  static base::Result<Overlay> make(const std::filesystem::path& cwd,
                                    const std::filesystem::path& scratch,
                                    std::vector<std::filesystem::path> keep);

  // Between fork and exec: only system calls. Ends in cwd, under the overlay.
  SetupFailure enter() const;

  // Call both when no process of the program is left.
  base::Result<Changes> changed(std::size_t limit) const;
  base::Result<void> renew();  // all that was written is gone

  // Mounts below cwd that no overlay can lie over; the program cannot write to them.
  std::vector<std::filesystem::path> read_only() const;
  bool privileged() const { return !user_namespace_; }

 private:
  Overlay(std::filesystem::path cwd, std::filesystem::path scratch,
          std::vector<std::filesystem::path> keep);
  base::Result<void> try_kind(bool user_namespace, bool& entered);

  std::filesystem::path cwd_;
  std::filesystem::path scratch_;
  std::vector<std::filesystem::path> keep_;
  std::vector<OverlayLayer> layers_;  // cwd first
  bool user_namespace_ = false;
  std::string uid_map_, gid_map_;
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

}  // namespace flatout::launch
