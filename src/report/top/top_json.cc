#include "report/top/top_json.h"

#include "report/json_parts.h"
#include "report/signal_name.h"

namespace flatout::report {
namespace {

Json shares_json(const std::vector<std::pair<std::string, double>>& shares) {
  Json out = Json::object();
  for (const auto& [name, share] : shares) put(out, name.c_str(), share);
  return out;
}

Json watched_device_json(const run::WatchedDevice& device) {
  Json out = Json::object();
  out["index"] = device.index;
  put(out, "name", device.name);
  put(out, "mig", device.mig);
  put(out, "utilization", device.utilization);
  put(out, "memory_used_bytes", device.memory_used_bytes);
  put(out, "memory_total_bytes", device.memory_total_bytes);
  put(out, "power_w", device.power_w);
  put(out, "power_limit_w", device.power_limit_w);
  put(out, "temperature_c", device.temperature_c);
  put(out, "sm_clock_mhz", device.sm_clock_mhz);
  put(out, "sm", device.sm);
  put(out, "tensor", device.tensor);
  put(out, "dram", device.dram);
  put(out, "pcie_received_bytes_per_s", device.pcie_received);
  put(out, "pcie_sent_bytes_per_s", device.pcie_sent);
  put(out, "nvlink_received_bytes_per_s", device.nvlink_received);
  put(out, "nvlink_sent_bytes_per_s", device.nvlink_sent);
  put(out, "throttled", device.throttled);
  put(out, "others_processes", device.others_processes);
  return out;
}

Json watched_process_json(const run::WatchedProcess& process) {
  Json out = Json::object();
  out["pid"] = process.pid;
  out["role"] = run::role_name(process.role);
  if (process.rank >= 0) out["rank"] = process.rank;
  if (process.worker >= 0) out["worker"] = process.worker;
  put(out, "command", process.command);
  put(out, "cpu_cores", process.cpu_cores);
  put(out, "rss_bytes", process.rss_bytes);
  put(out, "read_bytes_per_s", process.read_bytes_per_s);
  put(out, "disk_read_bytes_per_s", process.disk_bytes_per_s);
  put(out, "device_memory_bytes", process.device_memory_bytes);
  put(out, "device_utilization", process.device_utilization);
  put(out, "threads", process.threads);
  return out;
}

Json watched_host_json(const run::WatchedHost& host) {
  Json out = Json::object();
  if (host.cpus > 0) out["cpus"] = host.cpus;
  put(out, "cpu_cores", host.cpu_cores);
  put(out, "own_cpu_cores", host.own_cpu_cores);
  put(out, "iowait_cores", host.iowait_cores);
  put(out, "memory_used_bytes", host.memory_used_bytes);
  put(out, "memory_total_bytes", host.memory_total_bytes);
  put(out, "own_memory_bytes", host.own_memory_bytes);
  put(out, "disk_read_bytes_per_s", host.disk_read);
  put(out, "disk_written_bytes_per_s", host.disk_written);
  put(out, "network_received_bytes_per_s", host.network_received);
  put(out, "network_sent_bytes_per_s", host.network_sent);
  put(out, "pressure_cpu", host.pressure_cpu);
  put(out, "pressure_memory", host.pressure_memory);
  put(out, "pressure_io", host.pressure_io);
  put(out, "throttled", host.throttled);
  return out;
}

Json watched_steps_json(const run::WatchedSteps& steps) {
  Json out = Json::object();
  put(out, "count", steps.count);
  put(out, "per_s", steps.per_s);
  put(out, "median_ms", steps.median_ms);
  put(out, "p99_ms", steps.p99_ms);
  put(out, "samples_per_s", steps.samples_per_s);
  put(out, "device_busy", steps.device_busy);
  put_filled(out, "phases", shares_json(steps.phases));
  return out;
}

Json watched_loader_json(const run::WatchedLoader& loader) {
  Json out = Json::object();
  put(out, "workers", loader.workers);
  put(out, "sample_ms", loader.sample_ms);
  put(out, "max_samples_per_s", loader.max_samples_per_s);
  put_filled(out, "stages", shares_json(loader.stages));
  out["engine"] = loader.engine;
  return out;
}

Json watched_value_json(const run::WatchedValue& value) {
  Json out = Json::object();
  out["name"] = value.name;
  put(out, "last", value.last);
  put(out, "step", value.step);
  return out;
}

Json watched_verdict_json(const run::WatchedVerdict& verdict) {
  Json out = Json::object();
  put(out, "finding", verdict.finding);
  put(out, "cause", verdict.cause);
  put(out, "summary", verdict.summary);
  put(out, "share", verdict.share);
  put(out, "confidence", verdict.confidence);
  put(out, "advice", verdict.advice);
  return out;
}

std::string_view kind_name(run::WatchedKind kind) {
  switch (kind) {
    case run::WatchedKind::kRun:
      return "run";
    case run::WatchedKind::kProcess:
      return "process";
    case run::WatchedKind::kMachine:
      break;
  }
  return "machine";
}

}  // namespace

std::string top_json(const run::Watched& watched) {
  Json out = Json::object();
  out["schema"] = "flatout.top/1";
  out["kind"] = kind_name(watched.kind);
  put(out, "id", watched.id);
  put(out, "name", watched.name);
  put(out, "host", watched.host);
  if (watched.pid > 0) out["pid"] = watched.pid;
  if (watched.state) out["state"] = run::state_name(*watched.state);
  put(out, "elapsed_s", watched.elapsed_s);
  put(out, "silent_s", watched.silent_s);
  put(out, "window_s", watched.window_s);
  put(out, "command", watched.command);
  out["machine"] = watched_host_json(watched.machine);
  out["devices"] = list(watched.devices, watched_device_json);
  out["processes"] = list(watched.processes, watched_process_json);
  if (watched.steps) out["steps"] = watched_steps_json(*watched.steps);
  if (watched.loader) out["loader"] = watched_loader_json(*watched.loader);
  put_filled(out, "values", list(watched.values, watched_value_json));
  if (watched.verdict) out["verdict"] = watched_verdict_json(*watched.verdict);
  if (watched.dropped > 0) out["dropped"] = watched.dropped;
  put_filled(out, "notes", watched.notes);
  put(out, "hint", watched.hint);
  return out.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flatout::report
