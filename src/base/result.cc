#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace flatout::base {

std::unexpected<Error> fail_errno(int err, std::string what) {
  const ErrorCode code = err == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return fail(code, std::move(what) + ": " + std::strerror(err));
}

}  // namespace flatout::base
