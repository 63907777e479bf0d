// Which writes of a trial are told of, since they last. Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "launch/trial_writes.h"
#include "launch/workspace.h"

namespace flatout::cli {

// `workspace`: null = the trial runs in `cwd` itself. `command` is not empty.
launch::WriteRules trial_write_rules(const launch::Workspace* workspace,
                                     const std::filesystem::path& cwd,
                                     std::span<const std::string> command);

}  // namespace flatout::cli
