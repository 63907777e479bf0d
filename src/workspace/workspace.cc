#include "workspace/workspace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "workspace/mounts.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

base::Result<fs::path> real_path(const fs::path& path) {
  std::error_code err;
  fs::path out = fs::canonical(path, err);
  if (err) return base::fail_errno(err.value(), "cannot use " + path.string());
  return out;
}

// Without links, and only those that lie in the working directory: nothing covers
// the others.
base::Result<std::vector<fs::path>> kept_in(const fs::path& cwd, std::span<const fs::path> keep) {
  std::vector<fs::path> out;
  for (const fs::path& path : keep) {
    auto real = real_path(path);
    if (!real) return std::unexpected(real.error());
    if (*real == cwd) {
      return base::fail(ErrorCode::kInvalid,
                        cwd.string() +
                            " holds flatout's own data and cannot be thrown away: "
                            "start from another folder, or give --in-place");
    }
    if (!relative_below(*real, cwd).empty()) out.push_back(std::move(*real));
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  // One that lies in another is kept with it.
  std::vector<fs::path> top;
  for (fs::path& path : out) {
    if (top.empty() || relative_below(path, top.back()).empty()) top.push_back(std::move(path));
  }
  return top;
}

bool is_in(const fs::path& path, const fs::path& dir) {
  return path == dir || !relative_below(path, dir).empty();
}

// Those beyond, and what stays real in them. One that holds the scratch folder cannot
// have its layers there.
Beyond beyond_of(const WorkspaceOptions& options, const fs::path& cwd, const fs::path& scratch,
                 std::span<const fs::path> real, std::vector<std::string>& notes) {
  Beyond out;
  for (const fs::path& folder : options.beyond) {
    if (!is_in(scratch, folder)) {
      out.folders.push_back(folder);
      continue;
    }
    notes.push_back("what trials write into " + folder.string() + " lasts: it holds " +
                    scratch.string() + ", where trials are kept; set TMPDIR to another disk");
  }
  for (const fs::path& path : real) {
    const bool below = std::ranges::any_of(
        out.folders, [&](const auto& dir) { return !relative_below(path, dir).empty(); });
    if (below && relative_below(path, cwd).empty() && path != cwd) out.keep.push_back(path);
  }
  return out;
}

std::vector<fs::path> real_folders(const WorkspaceOptions& options) {
  std::vector<fs::path> out = options.caches;
  for (const fs::path& path : options.keep) {
    if (auto real = real_path(path)) out.push_back(std::move(*real));
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

std::string left_out_note(std::size_t count) {
  return std::to_string(count) + " files that cannot be read or copied are not in the copy";
}

}  // namespace

Workspace::Workspace(fs::path cwd, Scratch scratch)
    : cwd_(std::move(cwd)), scratch_(std::move(scratch)), spill_(scratch_.dir() / "spill") {}

base::Result<void> Workspace::make_spill() {
  if (auto gone = remove_tree(spill_); !gone) return gone;
  if (::mkdir(spill_.c_str(), 0700) == 0) return {};
  return base::fail_errno(errno, "cannot create directory " + spill_.string());
}

base::Result<Workspace> Workspace::make(const fs::path& cwd, const fs::path& scratch_root,
                                        const WorkspaceOptions& options, const base::Clock& clock) {
  const auto from = real_path(cwd);
  if (!from) return std::unexpected(from.error());
  const auto root = real_path(scratch_root);
  if (!root) return std::unexpected(root.error());
  if (is_in(*root, *from)) {
    return base::fail(ErrorCode::kInvalid, "trials cannot be kept in " + root->string() +
                                               ", which lies in the folder that they must not "
                                               "change: set TMPDIR, or give --in-place");
  }
  auto keep = kept_in(*from, options.keep);
  if (!keep) return std::unexpected(keep.error());
  sweep_scratch(*root);
  auto scratch = Scratch::create(*root);
  if (!scratch) return std::unexpected(scratch.error());

  Workspace out(*from, std::move(*scratch));
  out.real_ = real_folders(options);
  if (auto made = out.make_spill(); !made) return std::unexpected(made.error());
  std::string why = "not asked for";
  if (options.overlay) {
    const Beyond beyond = beyond_of(options, *from, *root, out.real_, out.notes_);
    auto overlay = Overlay::make(*from, out.scratch_.dir(), *keep, beyond);
    if (overlay) {
      out.overlay_.emplace(std::move(*overlay));
      out.note_layers();
      return out;
    }
    out.notes_.clear();
    why = overlay.error().message;
  }
  auto copy = TreeCopy::make(*from, out.scratch_.dir() / "copy", *keep, options.copy, clock);
  if (!copy) {
    return base::fail(ErrorCode::kUnavailable, "no throwaway copy of " + from->string() +
                                                   " for trials: overlay: " + why +
                                                   "; copy: " + copy.error().message +
                                                   "; --in-place runs them in the folder itself");
  }
  out.copy_.emplace(std::move(*copy));
  // What is kept is a link in the copy, which over the folder would lead to itself.
  if (options.bound && keep->empty()) {
    out.bound_.emplace();
    if (!out.bound_->make(out.copy_->dir(), *from)) out.bound_.reset();
  }
  out.notes_.push_back(out.bound_ ? "trials run in a copy (overlay: " + why + ")"
                                  : "trials run in a copy, which absolute paths into " +
                                        from->string() + " do not reach (overlay: " + why + ")");
  if (out.copy_->left_out() > 0) out.notes_.push_back(left_out_note(out.copy_->left_out()));
  return out;
}

void Workspace::note_layers() {
  for (const OverlayLayer& layer : overlay_->layers()) {
    if (layer.read_only) {
      notes_.push_back(layer.target.string() +
                       " is mounted there and cannot be written to in trials");
    }
    if (layer.real && !layer.why_real.empty()) {
      notes_.push_back("what trials write into " + layer.target.string() +
                       " lasts: no overlay can lie over it (" + layer.why_real + ")");
    }
  }
}

bool Workspace::leaks() const {
  return copy_ || std::ranges::any_of(overlay_->layers(), [](const OverlayLayer& layer) {
           return layer.real && !layer.why_real.empty();
         });
}

std::vector<fs::path> Workspace::covered() const {
  if (bound_) return {cwd_, copy_->dir()};
  if (copy_) return {copy_->dir()};
  std::vector<fs::path> out;
  for (const OverlayLayer& layer : overlay_->layers()) {
    if (!layer.real) out.push_back(layer.target);
  }
  return out;
}

launch::ChildSetup Workspace::enter() const {
  if (overlay_) return [overlay = &*overlay_] { return overlay->enter(); };
  if (bound_) return [bound = &*bound_] { return bound->enter(); };
  return [dir = copy_->dir().c_str()]() -> launch::SetupFailure {
    if (::chdir(dir) == 0) return {};
    return {.err = errno, .what = "cannot enter the copy of the working directory"};
  };
}

launch::Environment Workspace::environment(std::span<const std::string> env) const {
  launch::Environment out(env.begin(), env.end());
  // Under an overlay the name is the same, also one that leads through a link.
  if (covers_paths()) return out;
  for (std::string& entry : out) {
    if (entry.starts_with("PWD=")) entry = "PWD=" + directory().string();
  }
  return out;
}

base::Result<Changes> Workspace::changed(std::size_t limit) const {
  return overlay_ ? overlay_->changed(limit) : copy_->changed(limit);
}

base::Result<Changes> Workspace::changed_beyond(std::size_t limit) const {
  return overlay_ ? overlay_->changed_beyond(limit) : Changes{};
}

base::Result<void> Workspace::reset() {
  if (auto made = make_spill(); !made) return made;
  return overlay_ ? overlay_->renew() : copy_->restore();
}

base::Result<fs::path> find_scratch_root(std::span<const std::string> env, const fs::path& cwd) {
  const auto from = real_path(cwd);
  if (!from) return std::unexpected(from.error());
  std::vector<fs::path> roots;
  const auto temporary = launch::env_value(env, "TMPDIR");
  if (temporary && temporary->starts_with('/')) roots.emplace_back(*temporary);
  // On a disk first: a trial may write checkpoints.
  roots.insert(roots.end(), {"/var/tmp", "/tmp"});
  for (const fs::path& root : roots) {
    const auto real = real_path(root);
    if (real && !is_in(*real, *from) && ::access(real->c_str(), W_OK | X_OK) == 0) return *real;
  }
  return base::fail(ErrorCode::kUnavailable,
                    "no place for throwaway folders outside " + from->string() +
                        ": set TMPDIR to a folder on a local disk, or give --in-place");
}

}  // namespace flatout::workspace
