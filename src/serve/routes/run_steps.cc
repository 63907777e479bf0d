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

// A float has no more places than these; as a double its text has twice as many.
double to_ns(double ms) { return std::round(ms * 1e6) / 1e6; }

struct Bucket {
  std::size_t first = 0, last = 0;
  double from_ms = 0, to_ms = 0, mean_ms = 0, min_ms = 0, max_ms = 0;
  std::array<double, run::kPhaseCount> phase_ms{};
  double device_busy = std::numeric_limits<double>::quiet_NaN();
};

Bucket bucket_of(std::span<const StepRow> steps, std::size_t first, std::int64_t start_ns) {
  Bucket out{.first = first,
             .last = first + steps.size() - 1,
             .from_ms = run_ms_of(steps.front().begin_ns, start_ns),
             .to_ms = run_ms_of(steps.back().end_ns, start_ns),
             .min_ms = std::numeric_limits<double>::max()};
  for (const StepRow& step : steps) {
    const double own_ms = step.own_ms;
    out.mean_ms += own_ms;
    out.min_ms = std::min(out.min_ms, own_ms);
    out.max_ms = std::max(out.max_ms, own_ms);
    for (std::size_t i = 0; i < out.phase_ms.size(); ++i) out.phase_ms[i] += step.phases_ms[i];
  }
  const auto count = static_cast<double>(steps.size());
  out.mean_ms /= count;
  for (double& phase : out.phase_ms) phase /= count;
  return out;
}

std::vector<Bucket> buckets_of(std::span<const StepRow> steps, std::size_t first, std::size_t count,
                               std::int64_t start_ns) {
  std::vector<Bucket> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * steps.size() / count;
    const std::size_t end = (i + 1) * steps.size() / count;
    out.push_back(bucket_of(steps.subspan(begin, end - begin), first + begin, start_ns));
  }
  return out;
}

// Of the device on which the process computes.
void add_busy(OpenRun& run, std::optional<int> device, std::vector<Bucket>& buckets) {
  auto series = run.series();
  if (!series || !device) return;
  const std::string key = "m:device.utilization:" + std::to_string(run::device_source(*device));
  std::vector<std::pair<double, double>> ranges;
  for (const Bucket& bucket : buckets) ranges.emplace_back(bucket.from_ms, bucket.to_ms);
  const auto means = (*series)->means(key, ranges);
  for (std::size_t i = 0; i < means.size(); ++i) buckets[i].device_busy = means[i];
}

// As text: as values of a JSON document they would be most of the time that an answer takes.
std::string text_of(const std::vector<Bucket>& buckets) {
  std::string out = "[";
  const auto add = [&](std::string_view key, double value) {
    out.append(key);
    append_number(out, value);
  };
  for (const Bucket& bucket : buckets) {
    out += out.size() > 1 ? ",{" : "{";
    out += "\"first_step\":" + std::to_string(bucket.first);
    out += ",\"last_step\":" + std::to_string(bucket.last);
    add(",\"from_ms\":", bucket.from_ms);
    add(",\"to_ms\":", bucket.to_ms);
    add(",\"mean_ms\":", to_ns(bucket.mean_ms));
    add(",\"min_ms\":", to_ns(bucket.min_ms));
    add(",\"max_ms\":", to_ns(bucket.max_ms));
    out += ",\"phase_ms\":";
    for (std::size_t i = 0; i < bucket.phase_ms.size(); ++i)
      add(i == 0 ? "[" : ",", to_ns(bucket.phase_ms[i]));
    add("],\"device_busy\":", bucket.device_busy);
    out += '}';
  }
  return out + ']';
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
  Json out = {{"schema", "flatout.steps/1"}, {"pids", Json::array()}, {"phases", phase_names()}};
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
  auto buckets =
      buckets_of(std::span(steps).subspan(static_cast<std::size_t>(first), count),
                 static_cast<std::size_t>(first), std::min(count, asked->width), start_ns);
  add_busy(*open, chosen->device, buckets);
  out["device"] = or_null(chosen->device);
  const StepLengths& lengths = chosen->lengths;
  out["histogram"] = {{"edges_ms", lengths.edges_ms}, {"counts", lengths.counts}};
  out["p50_ms"] = or_null(lengths.p50_ms);
  out["p99_ms"] = or_null(lengths.p99_ms);
  out["warmup_steps"] = chosen->warm_up;
  std::string text = dumped(out);
  text.back() = ',';
  return text_response(text + "\"buckets\":" + text_of(buckets) + "}");
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
