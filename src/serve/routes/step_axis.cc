#include <algorithm>
#include <cmath>

#include "serve/json.h"
#include "serve/parameters.h"
#include "serve/routes/routes.h"
#include "serve/steps/step_table.h"

namespace flatout::serve {
namespace {

constexpr std::int64_t kMostPoints = 8192;

// To the microsecond: a third of the text of a double as it is.
double axis_ms(std::int64_t t_ns, std::int64_t start_ns) {
  return std::round(static_cast<double>(t_ns - start_ns) / 1e3) / 1e3;
}

void add_points(const std::vector<StepRow>& steps, std::size_t parts, std::int64_t start_ns,
                Json& out) {
  double last = axis_ms(steps.front().begin_ns, start_ns);
  out["step"].push_back(0);
  out["ms"].push_back(last);
  for (std::size_t i = 1; i <= parts; ++i) {
    const std::size_t end = i * steps.size() / parts;
    last = std::max(last, axis_ms(steps[end - 1].end_ns, start_ns));
    out["step"].push_back(end);
    out["ms"].push_back(last);
  }
}

}  // namespace

// Of the process whose steps the report is about: where which step began, between which it is a
// straight line. Only the whole run's: a panel that is zoomed into has the same axis.
Response step_axis(Api& api, const Request& request, const std::string& id) {
  const auto points = whole_number(request, "points", 2000, 2, kMostPoints);
  if (!points) return error_response(points.error());
  const auto open = api.runs.open(id);
  if (!open) return no_such_run(id);
  const auto tables = open->steps();
  if (!tables) return error_response(tables.error());
  Json out = {{"schema", "flatout.step_axis/1"}, {"step", Json::array()}, {"ms", Json::array()}};
  if (!tables->of->empty()) {
    const auto& steps = tables->of->front().steps;
    add_points(steps, std::min(steps.size(), static_cast<std::size_t>(*points - 1)),
               tables->start_ns, out);
  }
  return json_response(out);
}

}  // namespace flatout::serve
