#include <future>

#include "app/describe.h"
#include "report/show.h"
#include "serve/json.h"
#include "serve/routes/routes.h"
#include "serve/runs/tracked_json.h"

namespace flatout::serve {
namespace {

Json json_of(const SeriesInfo& info) {
  return {{"key", info.key},
          {"name", info.name},
          {"kind", info.kind},
          {"unit", info.unit},
          {"source", info.source},
          {"label", info.label},
          {"pid", or_null(info.pid)},
          {"device", or_null(info.device)},
          {"track", or_null(info.track)},
          {"count", info.count},
          {"first_ms", info.first_ms},
          {"last_ms", info.last_ms},
          {"first_step", or_null(info.first_step)},
          {"last_step", or_null(info.last_step)},
          {"last", or_null(std::optional(info.last))},
          {"min", or_null(std::optional(info.min))},
          {"max", or_null(std::optional(info.max))}};
}

}  // namespace

Response one_run(Api& api, const Request&, const std::string& id) {
  const auto row = api.rows.find(id);
  const auto open = api.runs.open(id);
  if (!row || !open) return no_such_run(id);
  // Two passes over the recording, side by side.
  auto of_outline = std::async(std::launch::async, [&] { return open->described(); });
  auto series = open->series();
  const auto described = of_outline.get();
  if (!described) return error_response(described.error());
  const auto timeline = open->outline();
  if (!timeline) return error_response(timeline.error());
  if (!series) return error_response(series.error());
  Json out = {{"schema", "flatout.run/1"}, {"row", row->json}};
  run::Description description = **described;
  app::add_files_and_meta(open->folder(), description);
  out["describe"] = Json::parse(report::to_json(description));
  const auto infos = (*series)->infos();
  out["tracked"] =
      tracked_json(tracked_with(**timeline, open->folder(), infos), (*timeline)->info.started_ns);
  out["series"] = Json::array();
  for (const SeriesInfo& info : infos) out["series"].push_back(json_of(info));
  out["devices"] = Json::array();
  for (const auto& [index, device] : (*timeline)->devices) {
    out["devices"].push_back({{"index", index}, {"name", device.name}});
  }
  out["live"] = (*timeline)->state == run::RunState::kRunning;
  return json_response(out);
}

}  // namespace flatout::serve
