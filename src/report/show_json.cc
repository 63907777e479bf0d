#include "report/json_parts.h"
#include "report/show.h"
#include "report/timestamp.h"

namespace flatout::report {
namespace {

Json literals_json(const std::map<std::string, std::string>& literals) {
  Json out = Json::object();
  for (const auto& [key, text] : literals) out[key] = literal(text);
  return out;
}

Json run_json(const run::Description& from) {
  Json out = Json::object();
  put(out, "id", from.run.id);
  put(out, "name", from.run.name);
  out["command"] = from.run.command;
  put(out, "cwd", from.run.cwd);
  put(out, "host", from.run.host);
  out["state"] = run::state_name(from.state);
  put_end(out, from.state, from.end);
  out["survivors"] = from.survivors;
  put(out, "started", rfc3339(from.run.started_wall_ns));
  put(out, "duration_s", from.duration_s);
  put(out, "rate_hz", from.run.rate_hz);
  put(out, "hooks_off", from.run.hooks_off);
  put(out, "flatout_version", from.run.flatout_version);
  return out;
}

Json counts_json(const run::Description& from) {
  return {{"steps", from.steps},
          {"batches", from.batches},
          {"processes", from.processes.all},
          {"workers", from.processes.workers},
          {"events", from.events},
          {"dropped", from.dropped}};
}

Json described_device_json(const run::Device& device) {
  Json out = Json::object();
  out["index"] = device.index;
  put(out, "vendor", device.vendor);
  put(out, "name", device.name);
  put(out, "uuid", device.uuid);
  put(out, "pci_bus", device.pci_bus);
  put(out, "driver", device.driver);
  put(out, "visible_index", device.visible_index);
  put(out, "mig", device.mig);
  put(out, "capability", device.capability);
  put(out, "memory_total_bytes", device.memory_total_bytes);
  put(out, "power_limit_w", device.power_limit_w);
  put(out, "sm_clock_max_mhz", device.sm_clock_max_mhz);
  put(out, "memory_clock_max_mhz", device.memory_clock_max_mhz);
  put(out, "pcie_generation_max", device.pcie_generation_max);
  put(out, "pcie_width_max", device.pcie_width_max);
  put(out, "nvlinks", device.nvlinks);
  put_filled(out, "unavailable", device.unavailable);
  return out;
}

Json range_json(const run::SeriesRange& range) {
  Json out = Json::object();
  const auto info = run::metric_info(range.metric);
  out["metric"] = info ? std::string(info->name) : std::to_string(static_cast<int>(range.metric));
  if (info) out["unit"] = info->unit;
  out["source"] = source_label(range.source);
  out["count"] = range.count;
  put(out, "first_s", range.first_s);
  put(out, "last_s", range.last_s);
  put(out, "min", range.min);
  put(out, "mean", range.mean);
  put(out, "max", range.max);
  return out;
}

Json files_json(const run::Description& from) {
  Json out = Json::object();
  put(out, "folder", from.folder);
  std::uint64_t bytes = 0;
  out["files"] = Json::array();
  for (const run::FileSize& file : from.files) {
    out["files"].push_back({{"name", file.name}, {"bytes", file.bytes}});
    bytes += file.bytes;
  }
  out["bytes"] = bytes;
  return out;
}

Json object_json(const std::string& text) {
  Json out = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return out.is_object() ? out : Json::object();
}

Json tracked_series_json(const run::TrackedSeries& series) {
  Json out = {{"name", series.name}, {"pid", series.pid}, {"track", series.track}};
  out["count"] = series.count;
  put(out, "first_step", series.first_step);
  put(out, "last_step", series.last_step);
  put(out, "last", std::optional(series.last));
  put(out, "min", series.min);
  put(out, "mean", series.mean);
  put(out, "max", series.max);
  return out;
}

Json tracked_json(const run::TrackedRun& tracked) {
  Json out = Json::object();
  put(out, "source", tracked.source);
  put(out, "id", tracked.id);
  put(out, "project", tracked.project);
  put(out, "name", tracked.name);
  put(out, "group", tracked.group);
  put(out, "job_type", tracked.job_type);
  out["tags"] = tracked.tags;
  put(out, "notes", tracked.notes);
  out["config"] = object_json(tracked.config);
  out["summary"] = object_json(tracked.summary);
  out["series"] = list(tracked.series, tracked_series_json);
  out["counts"] = {{"rows", tracked.rows.size()},
                   {"alerts", tracked.alerts.size()},
                   {"files", tracked.files.size()},
                   {"lost_values", tracked.lost_values},
                   {"lost_facts", tracked.lost_facts}};
  put(out, "exit_code", tracked.exit_code);
  if (tracked.branch) out["branch"] = branch_json(*tracked.branch);
  return out;
}

}  // namespace

std::string to_json(const run::Description& description) {
  Json out = Json::object();
  out["schema"] = "flatout.show/1";
  out["run"] = run_json(description);
  out["tags"] = description.tags;
  put(out, "note", description.note);
  out["counts"] = counts_json(description);
  out["config"] = literals_json(description.config);
  out["places"] = literals_json(description.places);
  out["environment"] = literals_json(description.environment);
  out["devices"] = list(description.devices, described_device_json);
  out["series"] = list(description.series, range_json);
  if (!description.tracked.empty()) out["tracked"] = list(description.tracked, tracked_json);
  out["storage"] = files_json(description);
  put_filled(out, "notes", description.notes);
  return document(out);
}

}  // namespace flatout::report
