// `flatout run` inside a `flatout run`: the inner one gets out of the way, so
// that nothing is recorded twice. Main thread.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"

namespace flatout::launch {

// The id of the outer run, when FLATOUT_RUN and FLATOUT_RECORDER ("pid:start
// ticks") in `env` name a recorder that is alive.
std::optional<std::string> nested_in(std::span<const std::string> env,
                                     const std::filesystem::path& proc = "/proc");

// Becomes the command: same pid, same environment. Returns only on failure.
// Call it before SignalRelay::start. Precondition: argv is not empty.
[[nodiscard]] base::Error exec_through(std::span<const std::string> argv);

// What a shell returns for a command that did not start: 127 not found, 126
// found but not executable, 125 when flatout itself was refused (fork).
int start_failure_code(const base::Error& error);

}  // namespace flatout::launch
