// A throwaway working directory for trials: an overlay over the folder itself
// where the kernel lets us, else a copy of it, else a refusal. The folder stays as
// it is, byte for byte. Folders beyond it get an overlay as well where the kernel
// allows it. Written for real is: under an overlay, what lies in neither; under a copy,
// all outside of the folder, and where the copy cannot be laid over it, absolute paths
// into it as well. Main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "launch/child.h"
#include "launch/plan.h"
#include "workspace/changes.h"
#include "workspace/copy.h"
#include "workspace/mount_namespace.h"
#include "workspace/overlay.h"
#include "workspace/scratch.h"

namespace flatout::workspace {

struct WorkspaceOptions {
  // Folders that are written to for real although they may lie in the working
  // directory: the run store, the rings. They exist.
  std::vector<std::filesystem::path> keep = {};
  CopyLimits copy = {};
  bool overlay = true;  // false: a copy at once
  bool bound = true;    // false: a copy beside the folder, not over it
  // Folders outside the working directory that trials must not change either
  // (workspace_beyond.h), and those in them that stay real. A copy covers none.
  std::vector<std::filesystem::path> beyond = {};
  std::vector<std::filesystem::path> caches = {};
};

enum class WorkspaceKind { kOverlay, kCopy };

class Workspace {
 public:
  // Decides and prepares, before the first trial; what the kernel refuses shows
  // here and not later. Left-overs of killed owners in `scratch_root` are removed.
  // kInvalid: scratch_root or the paths cannot serve. kUnavailable: neither way
  // works; the message names both causes and --in-place.
  static base::Result<Workspace> make(const std::filesystem::path& cwd,
                                      const std::filesystem::path& scratch_root,
                                      const WorkspaceOptions& options,
                                      const base::Clock& clock = base::SystemClock());
  // All that it made is removed in the end.

  WorkspaceKind kind() const { return overlay_ ? WorkspaceKind::kOverlay : WorkspaceKind::kCopy; }
  // The working directory as the program names it.
  const std::filesystem::path& directory() const { return covers_paths() ? cwd_ : copy_->dir(); }
  // Whether absolute paths into the working directory are covered: under an overlay, and
  // where the copy could be laid over the folder.
  bool covers_paths() const { return overlay_.has_value() || bound_.has_value(); }
  // What the user should know, a sentence each: why it is a copy, what is left out.
  const std::vector<std::string>& notes() const { return notes_; }
  // An empty folder outside the working directory, for what a trial must write
  // elsewhere (trackers, checkpoints). reset() empties it.
  const std::filesystem::path& spill() const { return spill_; }

  // For Child::start. Valid until reset() and as long as the workspace stays where
  // it is in memory.
  launch::ChildSetup enter() const;
  // `env` with $PWD naming directory().
  launch::Environment environment(std::span<const std::string> env) const;

  // Call both when no process of the trial is left. What the trial wrote below its
  // working directory, at most `limit` entries of it; and back to the first state.
  base::Result<Changes> changed(std::size_t limit) const;
  // The same of the folders beyond, with absolute paths.
  base::Result<Changes> changed_beyond(std::size_t limit) const;
  base::Result<void> reset();

  // Folders in which nothing that a trial does lasts, but for those of real(), which
  // may lie in them.
  std::vector<std::filesystem::path> covered() const;
  const std::vector<std::filesystem::path>& real() const { return real_; }
  // Whether something outside could not be covered that should have been.
  bool leaks() const;

 private:
  Workspace(std::filesystem::path cwd, Scratch scratch);
  base::Result<void> make_spill();
  void note_layers();

  std::filesystem::path cwd_;
  Scratch scratch_;
  std::filesystem::path spill_;
  std::optional<Overlay> overlay_;  // or
  std::optional<TreeCopy> copy_;
  std::optional<BoundCopy> bound_;  // the copy, over the folder
  std::vector<std::string> notes_;
  std::vector<std::filesystem::path> real_;
};

// Where scratch folders go: the first of $TMPDIR when absolute, /var/tmp and /tmp
// that can be written to and does not lie in `cwd`. kUnavailable when none can.
base::Result<std::filesystem::path> find_scratch_root(std::span<const std::string> env,
                                                      const std::filesystem::path& cwd);

}  // namespace flatout::workspace
