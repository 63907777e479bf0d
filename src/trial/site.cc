#include "trial/site.h"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <cerrno>
#include <span>
#include <utility>

#include "base/file.h"
#include "launch/owner_mark.h"
#include "launch/plan.h"
#include "workspace/beyond.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;
using base::Result;

Result<fs::path> make_scratch(const fs::path& root) {
  std::string name = (root / "flatout-tune-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return base::fail_errno(errno, "cannot make a folder in " + root.string());
  }
  return name;
}

// A copy that nothing leads into by an absolute path is no place for a program that is
// started by one: what it finds by its own place, it would write for real.
Result<void> stays_apart(const std::vector<std::string>& command, const fs::path& cwd,
                         const std::vector<std::string>& notes) {
  for (const fs::path& path : workspace::paths_named(std::span(command).subspan(1))) {
    const fs::path below = path.lexically_relative(cwd);
    if (below.empty() || *below.begin() == "..") continue;
    return base::fail(
        base::ErrorCode::kUnavailable,
        "the command names " + path.string() +
            ", which would be written to for real: " + (notes.empty() ? "" : notes.front() + "; ") +
            "name it relative to this folder, or give --in-place");
  }
  return {};
}

}  // namespace

TrialSite::~TrialSite() {
  std::error_code ignored;  // a folder left behind in the temporary ones harms nobody
  if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
}

Result<void> TrialSite::make(const fs::path& directory, const std::vector<std::string>& command,
                             const fs::path& home, bool in_place) {
  std::error_code error;
  cwd_ = fs::canonical(directory, error);
  if (error) {
    return base::fail(base::ErrorCode::kIo, directory == "."
                                                ? "the working directory: " + error.message()
                                                : directory.string() + ": " + error.message());
  }
  const auto env = launch::current_environment();
  const auto root = workspace::find_scratch_root(env, cwd_);
  if (!root) return std::unexpected(root.error());
  auto scratch = make_scratch(*root);
  if (!scratch) return std::unexpected(scratch.error());
  scratch_ = std::move(*scratch);
  scratch_lock_ = launch::mark_owner(scratch_);
  if (in_place) return {};
  if (auto there = base::make_private_dirs(home); !there) return there;
  workspace::WorkspaceOptions wanted;
  wanted.keep = {home};
  wanted.caches = workspace::caches(env);
  std::vector<fs::path> real = wanted.caches;
  real.push_back(fs::canonical(home, error));
  wanted.beyond = workspace::folders_beyond(cwd_, env, command, real);
  auto workspace = workspace::Workspace::make(cwd_, *root, wanted);
  if (!workspace) return std::unexpected(workspace.error());
  if (!workspace->covers_paths()) {
    if (auto apart = stays_apart(command, cwd_, workspace->notes()); !apart) return apart;
  }
  workspace_.emplace(std::move(*workspace));
  return {};
}

std::string TrialSite::words() const {
  if (!workspace_) return "in this folder itself";
  return workspace_->kind() == workspace::WorkspaceKind::kOverlay
             ? "in a throwaway overlay of this folder"
             : "in a throwaway copy of this folder";
}

std::vector<std::string> TrialSite::notes() const {
  return workspace_ ? workspace_->notes() : std::vector<std::string>{};
}

}  // namespace flatout::trial
