// The description of the API, schema/openapi.json.
#pragma once

#include <string_view>

namespace flatout::serve {

extern const std::string_view kOpenApi;

}  // namespace flatout::serve
