// Opens what a user names as an input: a file, or a pipe into which somebody writes. Any thread.
#pragma once

#include <chrono>
#include <filesystem>

#include "base/file.h"
#include "base/result.h"

namespace flatout::base {

// For reading from its beginning on. A pipe is waited for until its first bytes come, `patience` at
// most. kInvalid: a folder, a device, a socket, or a pipe into which nobody writes.
Result<UniqueFd> open_input(const std::filesystem::path& path,
                            std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace flatout::base
