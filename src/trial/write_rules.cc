#include "trial/write_rules.h"

#include <algorithm>

#include "workspace/beyond.h"

namespace flatout::trial {

namespace fs = std::filesystem;

// A copy does not cover what the program names by absolute paths, wherever it lies.
WriteRules trial_write_rules(const workspace::Workspace* workspace, const fs::path& cwd,
                             std::span<const std::string> command) {
  WriteRules rules;
  if (workspace == nullptr) return {.unlisted = {cwd}, .listed = {}};
  rules.unlisted = workspace->covered();
  const auto& real = workspace->real();
  rules.unlisted.insert(rules.unlisted.end(), real.begin(), real.end());
  if (!workspace->leaks()) return rules;
  // Also in a temporary folder, where the command itself asks for it.
  for (const fs::path& path : workspace::paths_named(command.subspan(1))) {
    const bool temporary = path == "/tmp" || path == "/var/tmp";
    const bool thrown = std::ranges::any_of(rules.unlisted, [&](const fs::path& dir) {
      const auto below = path.lexically_relative(dir);
      return !below.empty() && *below.begin() != "..";
    });
    if (!temporary && !thrown) rules.listed.push_back(path);
  }
  if (!workspace->covers_paths()) rules.listed.push_back(cwd);
  rules.divert = workspace->spill() / "diverted";
  return rules;
}

}  // namespace flatout::trial
