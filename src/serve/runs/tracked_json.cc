#include "serve/runs/tracked_json.h"

#include <algorithm>
#include <cmath>

#include "analyse/tracked/config_text.h"
#include "analyse/tracked/summary.h"
#include "app/tracked_headline.h"
#include "serve/run_ms.h"

namespace flatout::serve {
namespace {

// An object that a script made; {} where it is none. What nests deeper than anybody reads is left
// out: to write it takes a call a level.
Json object_of(const std::string& text) {
  constexpr int kDeepest = 64;
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
  Json json = Json::parse(text, shallow, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json::object();
}

run::TrackedSeries series_of(const SeriesInfo& info, std::int64_t start_ns) {
  run::TrackedSeries out;
  out.pid = info.pid.value_or(0);
  out.track = info.track.value_or(0);
  out.name = info.name;
  out.count = info.count;
  out.first_ns = start_ns + static_cast<std::int64_t>(info.first_ms * 1e6);
  out.last_ns = start_ns + static_cast<std::int64_t>(info.last_ms * 1e6);
  out.first_step = info.first_step;
  out.last_step = info.last_step;
  out.first = info.first;
  out.last = info.last;
  if (std::isfinite(info.min)) out.min = info.min;
  if (std::isfinite(info.max)) out.max = info.max;
  if (std::isfinite(info.mean)) out.mean = info.mean;
  return out;
}

// Values of "file" at any depth.
void add_files(const Json& json, std::set<std::string>& to) {
  for (const auto& [key, value] : json.items()) {
    if (key == "file" && value.is_string()) to.insert(value.get<std::string>());
    if (value.is_structured()) add_files(value, to);
  }
}

Json parts_json(const run::TrackedRun& run, std::int64_t start_ns) {
  Json out = Json::array();
  for (const run::TrackedPart& part : run.parts) {
    out.push_back(
        {{"pid", part.pid},
         {"track", part.track},
         {"started_ms", run_ms_of(part.started_ns, start_ns)},
         {"ended_ms", part.ended_ns ? Json(run_ms_of(*part.ended_ns, start_ns)) : Json(nullptr)},
         {"exit_code", or_null(part.exit_code)},
         {"namespace", part.name_space},
         {"resumed", part.resumed}});
  }
  return out;
}

Json metrics_json(const run::TrackedRun& run) {
  Json out = Json::array();
  for (const run::TrackedMetric& metric : run.metrics) {
    out.push_back({{"name", metric.name},
                   {"step_metric", metric.step_metric},
                   {"step_sync", metric.step_sync},
                   {"hidden", metric.hidden},
                   {"summary", metric.summary},
                   {"goal", metric.goal}});
  }
  return out;
}

// What was logged beside numbers, of a long run the latest.
Json rows_json(const run::TrackedRun& run, std::int64_t start_ns) {
  constexpr std::size_t kMost = 1000;
  Json out = Json::array();
  const std::size_t first = run.rows.size() > kMost ? run.rows.size() - kMost : 0;
  for (std::size_t i = first; i < run.rows.size(); ++i) {
    const run::TrackedRow& row = run.rows[i];
    out.push_back({{"t_ms", run_ms_of(row.t_ns, start_ns)},
                   {"step", or_null(row.step)},
                   {"data", object_of(row.data)}});
  }
  return out;
}

Json files_json(const run::TrackedRun& run, std::int64_t start_ns) {
  Json out = Json::array();
  for (const run::TrackedFile& file : run.files) {
    out.push_back({{"t_ms", run_ms_of(file.t_ns, start_ns)},
                   {"path", file.path},
                   {"file", file.file},
                   {"bytes", or_null(file.bytes)},
                   {"kind", file.kind},
                   {"artifact", file.artifact.empty() ? Json(nullptr) : object_of(file.artifact)}});
  }
  return out;
}

}  // namespace

Json headline_json(const std::optional<store::TrackedHeadline>& tracked) {
  if (!tracked) return nullptr;
  return {{"id", tracked->id},
          {"project", tracked->project},
          {"name", tracked->name},
          {"group", tracked->group},
          {"job_type", tracked->job_type},
          {"tags", tracked->tags},
          {"config", object_of(tracked->config)},
          {"summary", object_of(tracked->summary)}};
}

std::vector<run::TrackedRun> tracked_with(const run::Timeline& timeline,
                                          const std::filesystem::path& folder,
                                          const std::vector<SeriesInfo>& series) {
  auto runs = app::tracked_runs_of(timeline, folder);
  for (run::TrackedRun& run : runs) {
    const auto is_of = [&](const SeriesInfo& info) {
      return info.kind == "value" &&
             std::ranges::any_of(run.parts, [&](const run::TrackedPart& part) {
               return part.pid == info.pid && part.track == info.track;
             });
    };
    run.series.clear();
    for (const SeriesInfo& info : series) {
      if (is_of(info)) run.series.push_back(series_of(info, timeline.info.started_ns));
    }
    analyse::ObjectInParts summary;
    summary.json() = analyse::summary_of(run.series, run.metrics);
    summary.merge(run.summary);  // what the script set itself
    run.summary = summary.text();
  }
  return runs;
}

Json tracked_json(const std::vector<run::TrackedRun>& runs, std::int64_t start_ns) {
  Json out = Json::array();
  for (const run::TrackedRun& run : runs) {
    Json one = {{"source", run.source},
                {"id", run.id},
                {"project", run.project},
                {"entity", run.entity},
                {"name", run.name},
                {"group", run.group},
                {"job_type", run.job_type},
                {"tags", run.tags},
                {"notes", run.notes},
                {"mode", run.mode},
                {"config", object_of(run.config)},
                {"summary", object_of(run.summary)}};
    one["parts"] = parts_json(run, start_ns);
    one["metrics"] = metrics_json(run);
    one["rows"] = rows_json(run, start_ns);
    one["files"] = files_json(run, start_ns);
    one["exit_code"] = or_null(run.exit_code);
    one["lost_values"] = run.lost_values;
    one["lost_facts"] = run.lost_facts;
    out.push_back(std::move(one));
  }
  return out;
}

std::set<std::string> files_of(const std::vector<run::TrackedRun>& runs) {
  std::set<std::string> out;
  for (const run::TrackedRun& run : runs) {
    for (const run::TrackedFile& file : run.files) out.insert(file.file);
    for (const run::TrackedRow& row : run.rows) {
      if (!row.in_file.empty()) out.insert(row.in_file);
      add_files(object_of(row.data), out);
    }
  }
  out.erase("");
  return out;
}

}  // namespace flatout::serve
