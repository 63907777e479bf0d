#include <map>

#include "serve/json.h"
#include "serve/parameters.h"
#include "serve/routes/routes.h"
#include "serve/run_ms.h"
#include "serve/runs/outlined_run.h"
#include "serve/steps/asked_window.h"
#include "serve/steps/idle_buckets.h"

namespace flatout::serve {
namespace {

Json devices_json(const std::vector<analyse::DeviceIdle>& all, const std::vector<StepsOf>& tables) {
  std::map<std::uint16_t, int> users;
  for (const auto& one : all) ++users[one.device];
  Json out = Json::array();
  for (const auto& one : all) {
    const StepsOf* steps = steps_of(tables, one.pid);
    const bool ranked = steps != nullptr && steps->rank >= 0;
    std::string label = "GPU " + std::to_string(one.device);
    if (users[one.device] > 1) {
      label += ", " + (steps != nullptr ? steps->label : "pid " + std::to_string(one.pid));
    }
    out.push_back({{"pid", one.pid},
                   {"device", one.device},
                   {"rank", ranked ? Json(steps->rank) : Json(nullptr)},
                   {"label", label}});
  }
  return out;
}

Json idle_bucket_json(const IdleBucket& bucket, std::int64_t start_ns) {
  Json idle = nullptr;
  if (bucket.known_ns > 0) {
    idle = Json::array();
    for (const std::int64_t ns : bucket.idle_ns) idle.push_back(static_cast<double>(ns) / 1e6);
  }
  return {{"first_step", or_null(bucket.first_step)},
          {"last_step", or_null(bucket.last_step)},
          {"from_ms", run_ms_of(bucket.window.begin_ns, start_ns)},
          {"to_ms", run_ms_of(bucket.window.end_ns, start_ns)},
          {"known_ms", static_cast<double>(bucket.known_ns) / 1e6},
          {"idle_ms", std::move(idle)}};
}

}  // namespace

Response run_idle(Api& api, const Request& request, const std::string& id) {
  const auto asked = asked_window(request, {.usual = 600, .most = 8192});
  const auto number = whole_number(request, "number", 0, 0, INT32_MAX);
  if (!asked) return error_response(asked.error());
  if (!number) return error_response(number.error());
  const auto open = outlined_run(api, id);
  if (!open) return open.error();
  const auto steps = open->run->steps();
  if (!steps) return error_response(steps.error());
  const auto idle = open->run->idle();
  if (!idle) return error_response(idle.error());
  const auto& all = **idle;
  const auto chosen = static_cast<std::size_t>(*number);
  if (chosen != 0 && chosen >= all.size()) {
    return error_response(404, "not_found", "the run has no traced device of that number");
  }
  Json out = {{"schema", "flatout.idle/1"},
              {"devices", devices_json(all, *steps->of)},
              {"causes", run::kIdleCauseNames},
              {"buckets", Json::array()}};
  if (all.empty()) return json_response(out);
  const StepsOf* own = steps_of(*steps->of, all[chosen].pid);
  // A trace whose steps nobody marked has them without a process.
  if (own == nullptr && steps->of->size() == 1) own = &steps->of->front();
  const auto rows = own == nullptr ? std::span<const StepRow>() : std::span(own->steps);
  for (const IdleBucket& bucket :
       idle_buckets(all[chosen], rows, asked->in(*open->outline), asked->width)) {
    out["buckets"].push_back(idle_bucket_json(bucket, steps->start_ns));
  }
  return json_response(out);
}

}  // namespace flatout::serve
