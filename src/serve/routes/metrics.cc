#include "serve/json.h"
#include "serve/metrics/run_metrics.h"
#include "serve/routes/routes.h"

namespace flatout::serve {

Response open_metrics(Api& api, const Request& request, const std::string&) {
  const auto families = run_metrics(api);
  if (!families) return error_response(families.error());
  const Exposition format = exposition_for(request.header("accept"));
  return text_response(written(*families, format), std::string(content_type(format)));
}

}  // namespace flatout::serve
