#include "app/explain.h"
#include "report/html/html.h"
#include "serve/json.h"
#include "serve/routes/routes.h"

namespace flatout::serve {

Response run_report(Api& api, const Request&, const std::string& id) {
  const auto open = api.runs.open(id);
  if (!open) return no_such_run(id);
  const auto report = open->report_json();
  if (!report) return error_response(report.error());
  return text_response(**report);
}

// The page brings a policy of its own, by the hashes of its script and style.
Response run_page(Api& api, const Request&, const std::string& id) {
  const auto open = api.runs.open(id);
  if (!open) return no_such_run(id);
  const auto timeline = open->timeline();
  if (!timeline) return error_response(timeline.error());
  const auto [report, charts] = app::explain_with_charts(**timeline);
  Response response = text_response(report::to_html(report, charts), "text/html; charset=utf-8");
  response.headers = {{"Content-Security-Policy", "frame-ancestors 'self'; form-action 'none'"},
                      {"X-Frame-Options", "SAMEORIGIN"}};
  return response;
}

}  // namespace flatout::serve
