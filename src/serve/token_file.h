// A token that outlives `flatout ui`, for programs that are set up once, such as Prometheus. Main
// thread.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace flatout::serve {

// The token in `path`; where there is no such file it is made, with a new one, for this user alone.
// kInvalid: it holds no token, or others than its owner and group may read it.
base::Result<std::string> kept_token(const std::filesystem::path& path);

}  // namespace flatout::serve
