#include "serve/json.h"
#include "serve/openapi.h"
#include "serve/routes/routes.h"

namespace flatout::serve {

Response open_api(Api&, const Request&, const std::string&) {
  return text_response(std::string(kOpenApi));
}

}  // namespace flatout::serve
