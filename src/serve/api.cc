#include "serve/api.h"

#include <string_view>

#include "serve/json.h"
#include "serve/routes/routes.h"

namespace flatout::serve {
namespace {

using Call = Response (*)(Api&, const Request&, const std::string& id);

struct Route {
  Method method;
  std::string_view below;  // what follows /api/v1/runs/{id}/, or /api/v1/ where it is of no run
  bool of_run;
  Call call;
};

// clang-format off
constexpr Route kRoutes[] = {
    {Method::kGet, "runs", false, list_runs},
    {Method::kGet, "compare", false, compare_two},
    {Method::kGet, "config-diff", false, config_diff},
    {Method::kGet, "live", false, live_runs},
    {Method::kGet, "openapi.json", false, open_api},
    {Method::kGet, "metrics", false, open_metrics},  // lies outside /api/v1
    {Method::kGet, "", true, one_run},
    {Method::kPatch, "", true, change_run},
    {Method::kGet, "series", true, run_series},
    {Method::kGet, "steps", true, run_steps},
    {Method::kGet, "step-axis", true, step_axis},
    {Method::kGet, "ranks", true, run_ranks},
    {Method::kGet, "idle", true, run_idle},
    {Method::kGet, "loader", true, run_loader},
    {Method::kGet, "lanes", true, run_lanes},
    {Method::kGet, "events", true, run_events},
    {Method::kGet, "output", true, run_output},
    {Method::kGet, "report", true, run_report},
    {Method::kGet, "page", true, run_page},
    {Method::kGet, "tune", true, run_tune},
    {Method::kGet, "files/", true, run_file},
    {Method::kGet, "live", true, live_run},
};
// clang-format on

// What of the path a route is found by.
struct Asked {
  bool of_run = false;
  std::string below = {}, id = {};
};

std::optional<Asked> asked_by(const Request& request) {
  const auto& path = request.path;
  if (path.size() == 1 && path[0] == "metrics") return Asked{.below = "metrics"};
  if (path.size() < 3 || path[0] != "api" || path[1] != "v1" || path[2] == "metrics") {
    return std::nullopt;
  }
  Asked out{.of_run = path[2] == "runs" && path.size() > 3};
  const std::size_t from = out.of_run ? 4 : 2;
  if (out.of_run) out.id = path[3];
  if (out.of_run && path.size() == from + 2 && path[from] == "files") {
    out.below = "files/";
    return out;
  }
  if (path.size() > from + 1) return std::nullopt;
  if (path.size() > from) out.below = path[from];
  return out;
}

// Where the whole home is gone, that is what there is to say of a run that is not there.
Response called(Api& api, const Request& request, const Route& route, const std::string& id) {
  Response response = route.call(api, request, id);
  if (response.status != 404 || !route.of_run) return response;
  const auto seen = api.rows.latest();
  return seen ? response : error_response(seen.error());
}

}  // namespace

Response answer(Api& api, const Request& request) {
  const auto asked = asked_by(request);
  const Method method = request.method == Method::kHead ? Method::kGet : request.method;
  std::string allowed;
  for (const Route& route : kRoutes) {
    if (!asked || route.of_run != asked->of_run || route.below != asked->below) continue;
    if (route.method == method) return called(api, request, route, asked->id);
    allowed += allowed.empty() ? "" : ", ";
    allowed += route.method == Method::kGet ? "GET, HEAD" : "PATCH";
  }
  if (allowed.empty()) {
    return error_response(404, "not_found",
                          "the API has no such path; GET /api/v1/openapi.json has them all");
  }
  Response refused = error_response(405, "method", "this path takes " + allowed);
  refused.headers.emplace_back("Allow", allowed);
  return refused;
}

}  // namespace flatout::serve
