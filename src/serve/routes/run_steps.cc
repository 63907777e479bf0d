#include <algorithm>
#include <cmath>
#include <limits>

#include "run/sample.h"
#include "serve/json.h"
#include "serve/parameters.h"
#include "serve/routes/routes.h"
#include "serve/run_ms.h"
#include "serve/steps/asked_window.h"
#include "serve/steps/step_table.h"

namespace flatout::serve {
namespace {

constexpr std::int64_t kMostBuckets = 8192;
constexpr std::size_t kHistogramBins = 60;

Json bucket_json(std::span<const StepRow> steps, std::size_t first, std::int64_t start_ns) {
  double sum = 0, least = std::numeric_limits<double>::max(), most = 0;
  std::array<double, run::kPhaseCount> phases{};
  for (const StepRow& step : steps) {
    sum += step.own_ms;
    least = std::min(least, static_cast<double>(step.own_ms));
    most = std::max(most, static_cast<double>(step.own_ms));
    for (std::size_t i = 0; i < phases.size(); ++i) phases[i] += step.phases_ms[i];
  }
  const auto count = static_cast<double>(steps.size());
  for (double& phase : phases) phase /= count;
  return {{"first_step", first},
          {"last_step", first + steps.size() - 1},
          {"from_ms", run_ms_of(steps.front().begin_ns, start_ns)},
          {"to_ms", run_ms_of(steps.back().end_ns, start_ns)},
          {"mean_ms", sum / count},
          {"min_ms", least},
          {"max_ms", most},
          {"phase_ms", phases},
          {"device_busy", nullptr}};
}

// Of the device on which the process computes.
void add_busy(OpenRun& run, std::optional<int> device, Json& buckets) {
  auto series = run.series();
  if (!series || !device) return;
  const std::string key = "m:device.utilization:" + std::to_string(run::device_source(*device));
  std::vector<std::pair<double, double>> ranges;
  for (const Json& bucket : buckets) {
    ranges.emplace_back(bucket["from_ms"].get<double>(), bucket["to_ms"].get<double>());
  }
  const auto means = (*series)->means(key, ranges);
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (std::isfinite(means[i])) buckets[i]["device_busy"] = means[i];
  }
}

// Of the steady steps; the last bin holds all that is longer than 99.5 % of them.
void add_histogram(std::span<const StepRow> steady, Json& out) {
  std::vector<float> lengths;
  lengths.reserve(steady.size());
  for (const StepRow& step : steady) lengths.push_back(step.own_ms);
  std::ranges::sort(lengths);
  const auto at = [&](double share) {
    return static_cast<double>(
        lengths[static_cast<std::size_t>(share * static_cast<double>(lengths.size() - 1))]);
  };
  if (lengths.empty()) {
    out["histogram"] = {{"edges_ms", Json::array()}, {"counts", Json::array()}};
    out["p50_ms"] = nullptr;
    out["p99_ms"] = nullptr;
    return;
  }
  const double lo = at(0), hi = std::max(at(0.995), lo + 1e-6);
  std::vector<std::int64_t> counts(kHistogramBins, 0);
  std::vector<double> edges(kHistogramBins + 1);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = lo + (hi - lo) * static_cast<double>(i) / kHistogramBins;
  }
  for (const float length : lengths) {
    const double place = (static_cast<double>(length) - lo) / (hi - lo) * kHistogramBins;
    ++counts[static_cast<std::size_t>(std::clamp(place, 0.0, kHistogramBins - 1.0))];
  }
  out["histogram"] = {{"edges_ms", edges}, {"counts", counts}};
  out["p50_ms"] = at(0.5);
  out["p99_ms"] = at(0.99);
}

Json phase_names() {
  Json names = Json::array();
  for (std::size_t i = 0; i < run::kPhaseCount; ++i) names.push_back(run::kPhaseNames[i]);
  return names;
}

}  // namespace

Response run_steps(Api& api, const Request& request, const std::string& id) {
  const auto pid = whole_number(request, "pid", 0, 0, INT32_MAX);
  const auto asked = asked_window(request, {.usual = 600, .most = kMostBuckets});
  if (!pid) return error_response(pid.error());
  if (!asked) return error_response(asked.error());
  const auto open = api.runs.open(id);
  if (!open) return no_such_run(id);
  const auto tables = open->steps();
  if (!tables) return error_response(tables.error());
  const std::int64_t start_ns = tables->start_ns;
  Json out = {{"schema", "flatout.steps/1"},
              {"pids", Json::array()},
              {"phases", phase_names()},
              {"buckets", Json::array()}};
  const StepsOf none;
  const StepsOf* chosen = tables->of->empty() ? &none : &tables->of->front();
  for (const StepsOf& one : *tables->of) {
    out["pids"].push_back(one.pid);
    if (*pid != 0 && one.pid == *pid) chosen = &one;
  }
  if (*pid != 0 && chosen->pid != *pid) {
    return error_response(404, "not_found",
                          "process " + std::to_string(*pid) + " has no steps in this run");
  }
  const auto& steps = chosen->steps;
  const auto first =
      std::ranges::find_if(steps,
                           [&](const StepRow& step) {
                             return !asked->from_ms ||
                                    run_ms_of(step.end_ns, start_ns) >= *asked->from_ms;
                           }) -
      steps.begin();
  const auto last = std::ranges::find_if(
                        steps.begin() + first, steps.end(),
                        [&](const StepRow& step) {
                          return asked->to_ms && run_ms_of(step.begin_ns, start_ns) > *asked->to_ms;
                        }) -
                    steps.begin();
  const auto count = static_cast<std::size_t>(last - first);
  const std::size_t buckets = std::min(count, asked->width);
  for (std::size_t i = 0; i < buckets; ++i) {
    const std::size_t begin = static_cast<std::size_t>(first) + i * count / buckets;
    const std::size_t end = static_cast<std::size_t>(first) + (i + 1) * count / buckets;
    out["buckets"].push_back(
        bucket_json(std::span(steps).subspan(begin, end - begin), begin, start_ns));
  }
  add_busy(*open, chosen->device, out["buckets"]);
  out["device"] = or_null(chosen->device);
  add_histogram(std::span(steps).subspan(std::min(chosen->warm_up, steps.size())), out);
  out["warmup_steps"] = chosen->warm_up;
  return json_response(out);
}

// Ranks over time: the mean length of the steps that end in each part of the run.
Response run_ranks(Api& api, const Request& request, const std::string& id) {
  const auto width = whole_number(request, "width", 200, 1, 2000);
  if (!width) return error_response(width.error());
  const auto open = api.runs.open(id);
  if (!open) return no_such_run(id);
  const auto tables = open->steps();
  if (!tables) return error_response(tables.error());
  Json out = {{"ranks", Json::array()}, {"edges_ms", Json::array()}, {"step_ms", Json::array()}};
  if (tables->of->empty()) return json_response(out);
  double lo = std::numeric_limits<double>::max(), hi = 0;
  for (const StepsOf& one : *tables->of) {
    lo = std::min(lo, run_ms_of(one.steps.front().begin_ns, tables->start_ns));
    hi = std::max(hi, run_ms_of(one.steps.back().end_ns, tables->start_ns));
  }
  const auto parts = static_cast<std::size_t>(*width);
  for (std::size_t i = 0; i <= parts; ++i) {
    out["edges_ms"].push_back(lo + (hi - lo) * static_cast<double>(i) / static_cast<double>(parts));
  }
  for (const StepsOf& one : *tables->of) {
    std::vector<double> sums(parts, 0);
    std::vector<int> counts(parts, 0);
    for (const StepRow& step : one.steps) {
      const double place =
          (run_ms_of(step.end_ns, tables->start_ns) - lo) / std::max(hi - lo, 1e-9);
      const auto part = static_cast<std::size_t>(
          std::clamp(place * static_cast<double>(parts), 0.0, static_cast<double>(parts - 1)));
      sums[part] += step.own_ms;
      ++counts[part];
    }
    Json row = Json::array();
    for (std::size_t i = 0; i < parts; ++i) {
      row.push_back(counts[i] == 0 ? Json(nullptr) : Json(sums[i] / counts[i]));
    }
    out["ranks"].push_back({{"rank", one.rank < 0 ? Json(nullptr) : Json(one.rank)},
                            {"pid", one.pid},
                            {"label", one.label}});
    out["step_ms"].push_back(std::move(row));
  }
  return json_response(out);
}

}  // namespace flatout::serve
