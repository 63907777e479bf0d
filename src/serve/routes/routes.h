// The calls of the API by subject. `id`: of the run in the path, "" = none. Any thread.
#pragma once

#include "serve/api.h"

namespace flatout::serve {

Response list_runs(Api& api, const Request& request, const std::string& id);
Response one_run(Api& api, const Request& request, const std::string& id);
Response run_series(Api& api, const Request& request, const std::string& id);
Response run_report(Api& api, const Request& request, const std::string& id);
Response run_page(Api& api, const Request& request, const std::string& id);

}  // namespace flatout::serve
