// Result<T>: a value, or an Error that names the object, the cause and the
// next step. No exception crosses a module boundary in flatout.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace flatout::base {

enum class ErrorCode {
  kInvalid,      // the caller's input is wrong; repeating it will not help
  kNotFound,     // the named object does not exist
  kExists,       // the named object exists already
  kUnavailable,  // this machine cannot give it; do not retry
  kIo,           // the operating system refused; may succeed later
  kCorrupt,      // stored bytes are damaged
  kTooLarge,     // a bound was exceeded
};

struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInvalid;
  std::string message;  // one line, no trailing full stop or newline
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}

// `what` plus the text of errno value `err`, as kIo (kNotFound for ENOENT).
std::unexpected<Error> fail_errno(int err, std::string what);

}  // namespace flatout::base
