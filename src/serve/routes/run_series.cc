#include "serve/json.h"
#include "serve/parameters.h"
#include "serve/routes/routes.h"
#include "serve/series/columns.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMaxKeys = 256;

base::Result<SeriesQuery> query_of(const Request& request) {
  SeriesQuery query;
  const std::string* axis = request.parameter("x");
  if (axis != nullptr && *axis != "time" && *axis != "step") {
    return base::fail(base::ErrorCode::kInvalid, "x is time or step");
  }
  if (axis != nullptr && *axis == "step") query.axis = Axis::kStep;
  const auto from = number(request, "from");
  const auto to = number(request, "to");
  const auto width = whole_number(request, "width", 1000, 1, kMaxWidth);
  if (!from) return std::unexpected(from.error());
  if (!to) return std::unexpected(to.error());
  if (!width) return std::unexpected(width.error());
  query.from = *from;
  query.to = *to;
  query.width = static_cast<std::size_t>(*width);
  return query;
}

}  // namespace

Response run_series(Api& api, const Request& request, const std::string& id) {
  const auto query = query_of(request);
  if (!query) return error_response(query.error());
  const auto open = api.runs.open(id);
  if (!open) return no_such_run(id);
  const auto series = open->series();
  if (!series) return error_response(series.error());
  std::vector<Curve> curves;
  for (const auto& [name, key] : request.query) {
    if (name != "key") continue;
    if (curves.size() == kMaxKeys)
      return error_response(400, "invalid", "at most 256 keys at once");
    auto curve = (*series)->curve(key, *query);
    if (!curve) return error_response(curve.error());
    curves.push_back(std::move(*curve));
  }
  const bool binary = request.header("accept").find(kColumnsType) != std::string_view::npos;
  if (binary) return text_response(to_columns(curves), std::string(kColumnsType));
  return text_response(to_json(curves, query->axis));
}

}  // namespace flatout::serve
