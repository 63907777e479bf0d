// Which writes of a trial are told of, since they last. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "launch/trial_writes.h"
#include "launch/workspace.h"

namespace flatout::cli {

// Paths of each kind that are told of, at most.
constexpr std::size_t kMostNamed = 20;

// `workspace`: null = the trial runs in `cwd` itself. `command` is not empty.
launch::WriteRules trial_write_rules(const launch::Workspace* workspace,
                                     const std::filesystem::path& cwd,
                                     std::span<const std::string> command);

}  // namespace flatout::cli
