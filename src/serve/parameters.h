// Parameters of a request, checked. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "serve/http/message.h"

namespace flatout::serve {

// A whole number from `least` to `most`; `otherwise` where it is not given. kInvalid.
base::Result<std::int64_t> whole_number(const Request& request, std::string_view name,
                                        std::int64_t otherwise, std::int64_t least,
                                        std::int64_t most);
// Finite; absent where it is not given. kInvalid.
base::Result<std::optional<double>> number(const Request& request, std::string_view name);

}  // namespace flatout::serve
