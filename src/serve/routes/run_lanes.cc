#include "serve/json.h"
#include "serve/lanes/lanes.h"
#include "serve/routes/routes.h"
#include "serve/run_ms.h"
#include "serve/runs/outlined_run.h"
#include "serve/steps/asked_window.h"

namespace flatout::serve {
namespace {

Json span_json(const LaneSpan& span, std::int64_t start_ns) {
  return Json::array({run_ms_of(span.begin_ns, start_ns), run_ms_of(span.end_ns, start_ns),
                      static_cast<double>(span.filled_ns) / 1e6, span.name, span.count});
}

Json lanes_json(const Picture& picture, std::int64_t start_ns) {
  Json out = {{"schema", "flatout.lanes/1"},
              {"from_ms", run_ms_of(picture.window.begin_ns, start_ns)},
              {"to_ms", run_ms_of(picture.window.end_ns, start_ns)},
              {"names", Json::array()},
              {"lanes", Json::array()},
              {"left_out", picture.left_out},
              {"steps", Json::array()}};
  for (const auto& name : picture.names.all()) {
    out["names"].push_back({{"text", name.text}, {"kind", name.kind}});
  }
  for (const PictureLane& lane : picture.lanes) {
    Json spans = Json::array();
    for (const LaneSpan& span : lane.spans) spans.push_back(span_json(span, start_ns));
    out["lanes"].push_back({{"group", lane.group},
                            {"label", lane.label},
                            {"kind", lane.kind},
                            {"spans", std::move(spans)}});
  }
  for (const auto& [number, begin_ns] : picture.steps) {
    out["steps"].push_back({{"step", number}, {"at_ms", run_ms_of(begin_ns, start_ns)}});
  }
  return out;
}

}  // namespace

Response run_lanes(Api& api, const Request& request, const std::string& id) {
  const auto asked = asked_window(request, {.usual = 800, .most = 4096});
  if (!asked) return error_response(asked.error());
  const auto open = outlined_run(api, id);
  if (!open) return open.error();
  const auto steps = open->run->steps();
  if (!steps) return error_response(steps.error());
  const auto idle = open->run->idle();
  if (!idle) return error_response(idle.error());
  analyse::TimeWindow window = asked->in(*open->outline);
  if (asked->whole()) window = usual_window(*steps->of, **idle).value_or(window);
  if (window.begin_ns >= window.end_ns) window.end_ns = window.begin_ns + 1;
  const Picture picture = paint_lanes(*open->outline, *steps->of, **idle, window, asked->width);
  return json_response(lanes_json(picture, open->outline->info.started_ns));
}

}  // namespace flatout::serve
