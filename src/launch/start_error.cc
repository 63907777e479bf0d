#include "launch/start_error.h"

#include <cerrno>
#include <cstring>

namespace flatout::launch {

base::Error start_error(const std::string& command, int err) {
  using base::ErrorCode;
  const std::string cause = std::strerror(err);
  switch (err) {
    case ENOENT:
      if (command.contains('/')) {
        return {ErrorCode::kNotFound,
                "cannot run " + command +
                    ": the file, or the interpreter in its first line, does not exist"};
      }
      return {ErrorCode::kNotFound, "cannot run " + command + ": command not found in PATH"};
    case ENOTDIR:
      return {ErrorCode::kNotFound, "cannot run " + command + ": " + cause};
    case EACCES:
      return {ErrorCode::kInvalid, "cannot run " + command + ": not executable (" + cause +
                                       "); try its interpreter, as in python " + command};
    case E2BIG:
      return {ErrorCode::kInvalid,
              "cannot run " + command + ": arguments and environment are too long"};
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return {ErrorCode::kIo, "cannot run " + command + ": " + cause};
    default:
      return {ErrorCode::kInvalid, "cannot run " + command + ": " + cause};
  }
}

std::vector<char*> c_strings(std::span<const std::string> strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const std::string& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace flatout::launch
