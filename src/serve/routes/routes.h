// The calls of the API by subject. `id`: of the run in the path, "" = none. Any thread.
#pragma once

#include "serve/api.h"

namespace flatout::serve {

Response list_runs(Api& api, const Request& request, const std::string& id);
Response one_run(Api& api, const Request& request, const std::string& id);
Response change_run(Api& api, const Request& request, const std::string& id);
Response run_steps(Api& api, const Request& request, const std::string& id);
Response step_axis(Api& api, const Request& request, const std::string& id);
Response run_ranks(Api& api, const Request& request, const std::string& id);
Response run_idle(Api& api, const Request& request, const std::string& id);
Response run_loader(Api& api, const Request& request, const std::string& id);
Response run_lanes(Api& api, const Request& request, const std::string& id);
Response run_events(Api& api, const Request& request, const std::string& id);
Response run_tune(Api& api, const Request& request, const std::string& id);
Response run_file(Api& api, const Request& request, const std::string& id);
Response live_run(Api& api, const Request& request, const std::string& id);
Response live_runs(Api& api, const Request& request, const std::string& id);
Response compare_two(Api& api, const Request& request, const std::string& id);
Response config_diff(Api& api, const Request& request, const std::string& id);
Response open_metrics(Api& api, const Request& request, const std::string& id);
Response open_api(Api& api, const Request& request, const std::string& id);
Response run_series(Api& api, const Request& request, const std::string& id);
Response run_report(Api& api, const Request& request, const std::string& id);
Response run_output(Api& api, const Request& request, const std::string& id);
Response run_page(Api& api, const Request& request, const std::string& id);

}  // namespace flatout::serve
