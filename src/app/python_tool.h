// The user's Python, for what only its packages can do. Main thread; waits for
// the process that it starts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace flatout::app {

// Text of an environment variable, or nullptr, as std::getenv.
using Variables = std::function<const char*(const char*)>;

// Interpreters to be tried, in order: $FLATOUT_PYTHON alone where it is set, else
// $VIRTUAL_ENV/bin/python3, $CONDA_PREFIX/bin/python3, python3 on the PATH. Only
// those that are there, each once.
std::vector<std::string> python_candidates(const Variables& variables);

// The first of `candidates` that has `package`: "PYTHON SCRIPT --check" ends with
// 0 there. kNotFound when none has; the message says how to install it for the
// first of them.
base::Result<std::string> python_with(const std::string& package, const std::string& script,
                                      const std::vector<std::string>& candidates);

// Runs `command` to its end; its stdin is empty, its stdout and stderr are ours.
// The exit status, or 128 + signal.
base::Result<int> run_to_end(const std::vector<std::string>& command, bool silent);

// A file of lib/flatout beside the binary. kUnavailable where it is missing.
base::Result<std::string> companion_file(const std::string& name);

}  // namespace flatout::app
