#include <algorithm>

#include "analyse/loader_times.h"
#include "serve/json.h"
#include "serve/routes/routes.h"
#include "serve/run_ms.h"
#include "serve/runs/outlined_run.h"
#include "serve/steps/asked_window.h"

namespace flatout::serve {
namespace {

using analyse::TimeWindow;

// So many parts that most hold some batches of each worker: a line with a hole at every other
// column says less than one of half as many.
std::vector<TimeWindow> parts_of(const analyse::LoaderTimes& times, TimeWindow asked,
                                 std::size_t width) {
  const auto& fetches = times.fetches;
  using Fetch = analyse::LoaderTimes::Fetch;
  const auto first = std::ranges::lower_bound(fetches, asked.begin_ns, {}, &Fetch::end_ns);
  const auto last = std::ranges::upper_bound(fetches, asked.end_ns, {}, &Fetch::end_ns);
  const auto seen = static_cast<std::size_t>(std::max<std::ptrdiff_t>(last - first, 0));
  constexpr std::size_t kLeast = 24;  // of a few steps each is to be seen
  const auto drawn =
      static_cast<std::size_t>(std::ranges::count_if(times.waits, [&](const TimeWindow& wait) {
        return wait.end_ns > asked.begin_ns && wait.end_ns <= asked.end_ns;
      }));
  const std::size_t each = 2 * std::max<std::size_t>(1, times.workers.size());
  const std::size_t least = std::clamp<std::size_t>(drawn, 1, kLeast);
  const std::size_t enough = (fetches.empty() ? drawn : seen) / each;
  const std::size_t count = std::min(std::max(enough, least), width);
  std::vector<TimeWindow> out;
  const auto length = static_cast<double>(asked.end_ns - asked.begin_ns);
  const auto at = [&](std::size_t i) {
    const double share = static_cast<double>(i) / static_cast<double>(count);
    return asked.begin_ns + static_cast<std::int64_t>(length * share);
  };
  for (std::size_t i = 0; i < count; ++i) out.push_back({at(i), at(i + 1)});
  return out;
}

// Nothing of the loader is known beyond its first and its last batch.
TimeWindow within_batches(const analyse::LoaderTimes& times, TimeWindow asked) {
  std::int64_t begin_ns = times.waits.front().begin_ns;
  if (!times.fetches.empty()) begin_ns = std::min(begin_ns, times.fetches.front().begin_ns);
  const std::int64_t end_ns = times.waits.back().end_ns;
  return {std::max(asked.begin_ns, begin_ns), std::min(asked.end_ns, end_ns)};
}

Json workers_json(const analyse::LoaderTimes& times) {
  Json out = Json::array();
  for (std::size_t i = 0; i < times.workers.size(); ++i) {
    const bool seen = times.workers[i] != 0;
    out.push_back(
        {{"pid", seen ? Json(times.workers[i]) : Json(nullptr)},
         {"label", times.in_step_thread ? "the training itself" : "worker " + std::to_string(i)}});
  }
  return out;
}

Json loader_part_json(const analyse::LoaderPart& part, TimeWindow window, std::int64_t start_ns) {
  Json fetch = Json::array();
  for (const auto& ms : part.fetch_ms) fetch.push_back(or_null(ms));
  return {{"from_ms", run_ms_of(window.begin_ns, start_ns)},
          {"to_ms", run_ms_of(window.end_ns, start_ns)},
          {"ready_mean", or_null(part.ready_mean)},
          {"ready_min", or_null(part.ready_min)},
          {"ready_max", or_null(part.ready_max)},
          {"draws", part.draws},
          {"wait_mean_ms", or_null(part.wait_mean_ms)},
          {"wait_max_ms", or_null(part.wait_max_ms)},
          {"fetch_ms", std::move(fetch)}};
}

}  // namespace

Response run_loader(Api& api, const Request& request, const std::string& id) {
  const auto asked = asked_window(request, {.usual = 600, .most = 8192});
  if (!asked) return error_response(asked.error());
  const auto open = outlined_run(api, id);
  if (!open) return open.error();
  const auto times = open->run->loader();
  if (!times) return error_response(times.error());
  Json out = {{"schema", "flatout.loader/1"},
              {"workers", workers_json(**times)},
              {"in_step_thread", (*times)->in_step_thread},
              {"buckets", Json::array()}};
  if ((*times)->waits.empty()) return json_response(out);
  const TimeWindow window = within_batches(**times, asked->in(*open->outline));
  if (window.begin_ns >= window.end_ns) return json_response(out);
  const auto windows = parts_of(**times, window, asked->width);
  const auto parts = analyse::loader_parts(**times, windows);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out["buckets"].push_back(
        loader_part_json(parts[i], windows[i], open->outline->info.started_ns));
  }
  return json_response(out);
}

}  // namespace flatout::serve
