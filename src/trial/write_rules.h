// Which writes of a trial are reported, since they last. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "trial/writes.h"
#include "workspace/workspace.h"

namespace flatout::trial {

// Paths of each kind that are reported, at most.
constexpr std::size_t kMostNamed = 20;

// `workspace`: null = the trial runs in `cwd` itself. `command` is not empty.
WriteRules trial_write_rules(const workspace::Workspace* workspace,
                             const std::filesystem::path& cwd,
                             std::span<const std::string> command);

}  // namespace flatout::trial
