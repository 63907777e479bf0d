// /metrics: the latest readings of the runs that go on, as OpenMetrics, by the names of
// OpenTelemetry's semantic conventions for hardware and by those of NVIDIA's DCGM exporter. Only
// readings that there are; none is older than kOld.
#include <array>
#include <cmath>
#include <map>

#include "serve/json.h"
#include "serve/routes/routes.h"

namespace flatout::serve {
namespace {

constexpr double kOldMs = 15'000;

struct Exported {
  std::string_view metric;  // of schema/metrics.toml
  std::string_view name;
  std::string_view labels;  // beside run and device
  std::string_view unit;    // "" = none
  std::string_view help;
  double scale = 1;
};

constexpr Exported kExported[] = {
    {"device.utilization", "hw_gpu_utilization_ratio", R"(,hw_gpu_task="general")", "ratio",
     "Share of time in which a kernel ran"},
    {"device.encoder.utilization", "hw_gpu_utilization_ratio", R"(,hw_gpu_task="encoder")", "ratio",
     ""},
    {"device.decoder.utilization", "hw_gpu_utilization_ratio", R"(,hw_gpu_task="decoder")", "ratio",
     ""},
    {"device.memory.used", "hw_gpu_memory_usage_bytes", "", "bytes", "Memory in use"},
    {"device.power", "hw_power_watts", R"(,hw_type="gpu")", "watts", "Power drawn"},
    {"device.temperature", "hw_temperature_celsius", R"(,hw_type="gpu")", "celsius", "Temperature"},
    {"device.utilization", "DCGM_FI_DEV_GPU_UTIL", "", "", "GPU utilization (in %)", 100},
    {"device.memory.utilization", "DCGM_FI_DEV_MEM_COPY_UTIL", "", "", "Memory utilization (in %)",
     100},
    {"device.memory.used", "DCGM_FI_DEV_FB_USED", "", "", "Framebuffer memory used (in MiB)",
     1.0 / (1 << 20)},
    {"device.power", "DCGM_FI_DEV_POWER_USAGE", "", "", "Power draw (in W)"},
    {"device.temperature", "DCGM_FI_DEV_GPU_TEMP", "", "", "GPU temperature (in C)"},
    {"device.clock.sm", "DCGM_FI_DEV_SM_CLOCK", "", "", "SM clock frequency (in MHz)"},
    {"device.clock.memory", "DCGM_FI_DEV_MEM_CLOCK", "", "", "Memory clock frequency (in MHz)"},
    {"device.gpm.sm", "DCGM_FI_PROF_SM_ACTIVE", "", "",
     "Share of cycles in which an SM had a warp"},
    {"device.gpm.occupancy", "DCGM_FI_PROF_SM_OCCUPANCY", "", "",
     "Share of warps that were resident"},
    {"device.gpm.tensor", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "", "",
     "Share of cycles in which the tensor pipe was active"},
    {"device.gpm.dram", "DCGM_FI_PROF_DRAM_ACTIVE", "", "",
     "Share of cycles in which DRAM was active"},
};

// As a label's value: what would end it is written out.
std::string label_value(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') out.push_back('\\');
    if (c == '\n') {
      out += "\\n";
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

struct Reading {
  std::string labels;
  double value = 0;
};

}  // namespace

Response open_metrics(Api& api, const Request&, const std::string&) {
  const auto list = api.rows.latest();
  if (!list) return error_response(list.error());
  // By name, since all of one name stand together.
  std::map<std::string_view, std::vector<Reading>> readings;
  std::size_t running = 0;
  for (const auto& row : **list) {
    if (row->entry.state != run::RunState::kRunning || !row->entry.problem.empty()) continue;
    ++running;
    const auto open = api.runs.open(row->entry.id);
    if (!open) continue;
    auto series = open->series();
    if (!series) continue;
    const double last_ms = (*series)->last_ms();
    for (const SeriesInfo& info : (*series)->infos()) {
      if (info.kind != "metric" || !info.device || !std::isfinite(info.last)) continue;
      if (info.last_ms < last_ms - kOldMs) continue;
      for (const Exported& exported : kExported) {
        if (exported.metric != info.name) continue;
        const std::string device = std::to_string(*info.device);
        readings[exported.name].push_back(
            {"{run=" + label_value(row->entry.id) + ",run_name=" + label_value(row->entry.name) +
                 ",hw_id=" + label_value(device) + ",gpu=" + label_value(device) +
                 std::string(exported.labels) + "}",
             info.last * exported.scale});
      }
    }
  }
  std::string out =
      "# TYPE flatout_runs_running gauge\nflatout_runs_running " + std::to_string(running) + "\n";
  std::string_view before;
  for (const Exported& exported : kExported) {
    const auto found = readings.find(exported.name);
    if (found == readings.end() || exported.name == before) continue;
    before = exported.name;
    out += "# TYPE " + std::string(exported.name) + " gauge\n";
    if (!exported.unit.empty())
      out += "# UNIT " + std::string(exported.name) + " " + std::string(exported.unit) + "\n";
    out += "# HELP " + std::string(exported.name) + " " + std::string(exported.help) + "\n";
    for (const Reading& reading : found->second) {
      out += std::string(exported.name) + reading.labels + " ";
      append_number(out, reading.value);
      out += "\n";
    }
  }
  return text_response(out + "# EOF\n",
                       "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

}  // namespace flatout::serve
