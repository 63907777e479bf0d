// Masks what looks like a key in a command line. For storing and showing only:
// what is executed is never touched. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace flatout::launch {

inline constexpr const char* kMasked = "****";

// The same arguments with each secret replaced by kMasked: values of flags,
// assignments, JSON and URL fields whose name says so (api_key, token,
// FOO_SECRET, password ...), the password of a URL, and values in the known
// shapes of keys (sk-, hf_, ghp_, AKIA, JWT ...) wherever they stand, also
// inside a `sh -c` script. A mask too many is possible, and harmless.
std::vector<std::string> mask_secrets(std::span<const std::string> argv);

// What is stored of a command (not empty): masked, or its first word alone.
std::vector<std::string> stored_command(std::span<const std::string> argv, bool with_arguments);

// As mask_secrets(), of a text such as the message of an error.
std::string mask_secrets_in(const std::string& text);

}  // namespace flatout::launch
