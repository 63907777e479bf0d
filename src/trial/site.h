// Where the trials of a command run on this machine, and where what they print goes.
// Main thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "workspace/workspace.h"

namespace flatout::trial {

// Makes itself no more than once; removed with all that is in it.
class TrialSite {
 public:
  TrialSite() = default;
  ~TrialSite();
  TrialSite(const TrialSite&) = delete;
  TrialSite& operator=(const TrialSite&) = delete;

  // A throwaway workspace over `directory`, or the folder itself (`in_place`). What
  // lies in `home`, the folder of the runs, stays real. kIo; kUnavailable where no
  // workspace can be made, and where `command` names the folder by an absolute path
  // that the workspace does not cover.
  base::Result<void> make(const std::filesystem::path& directory,
                          const std::vector<std::string>& command,
                          const std::filesystem::path& home, bool in_place);

  // Null in place; lives as long as this.
  const workspace::Workspace* workspace() const { return workspace_ ? &*workspace_ : nullptr; }
  workspace::Workspace* workspace() { return workspace_ ? &*workspace_ : nullptr; }
  const std::filesystem::path& cwd() const { return cwd_; }  // without links
  const std::filesystem::path& scratch() const { return scratch_; }
  // For what must be written: of the workspace, or the scratch folder.
  std::filesystem::path spill() const { return workspace_ ? workspace_->spill() : scratch_; }
  std::string words() const;  // "in a throwaway overlay of this folder"
  std::vector<std::string> notes() const;

 private:
  std::optional<workspace::Workspace> workspace_;
  std::filesystem::path cwd_, scratch_;
  base::UniqueFd scratch_lock_;  // launch/owner_mark.h
};

}  // namespace flatout::trial
