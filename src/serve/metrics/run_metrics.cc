#include "serve/metrics/run_metrics.h"

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "report/hardware_names.h"
#include "run/metric.h"

namespace flatout::serve {
namespace {

constexpr double kOldMs = 15'000;

// Of NVIDIA's DCGM exporter, so that dashboards made for it show these runs too.
struct DcgmName {
  run::Metric metric;
  std::string_view name;
  std::string_view help;
  double scale = 1;
};

constexpr DcgmName kDcgm[] = {
    {run::Metric::kDeviceUtilization, "DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %)", 100},
    {run::Metric::kDeviceMemoryUtilization, "DCGM_FI_DEV_MEM_COPY_UTIL",
     "Memory utilization (in %)", 100},
    {run::Metric::kDeviceMemoryUsed, "DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB)",
     1.0 / (1 << 20)},
    {run::Metric::kDevicePower, "DCGM_FI_DEV_POWER_USAGE", "Power draw (in W)"},
    {run::Metric::kDeviceTemperature, "DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C)"},
    {run::Metric::kDeviceClockSm, "DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz)"},
    {run::Metric::kDeviceClockMemory, "DCGM_FI_DEV_MEM_CLOCK", "Memory clock frequency (in MHz)"},
    {run::Metric::kDeviceGpmSm, "DCGM_FI_PROF_SM_ACTIVE",
     "Share of cycles in which an SM had a warp"},
    {run::Metric::kDeviceGpmOccupancy, "DCGM_FI_PROF_SM_OCCUPANCY",
     "Share of warps that were resident"},
    {run::Metric::kDeviceGpmTensor, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
     "Share of cycles in which the tensor pipe was active"},
    {run::Metric::kDeviceGpmDram, "DCGM_FI_PROF_DRAM_ACTIVE",
     "Share of cycles in which DRAM was active"},
};

class Families {
 public:
  void add(const std::string& name, MetricFamily::Kind kind, std::string_view unit,
           std::string_view help, MetricSample sample) {
    const auto [at, is_new] = index_.try_emplace(name, families_.size());
    if (is_new) {
      families_.push_back({.name = name,
                           .kind = kind,
                           .unit = std::string(unit),
                           .help = std::string(help),
                           .samples = {}});
    }
    families_[at->second].samples.push_back(std::move(sample));
  }
  void gauge(const std::string& name, std::string_view unit, std::string_view help,
             MetricSample sample) {
    add(name, MetricFamily::Kind::kGauge, unit, help, std::move(sample));
  }
  void counter(const std::string& name, std::string_view unit, std::string_view help,
               MetricSample sample) {
    add(name, MetricFamily::Kind::kCounter, unit, help, std::move(sample));
  }
  std::vector<MetricFamily> take() { return std::move(families_); }

 private:
  std::vector<MetricFamily> families_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

class RunMetrics {
 public:
  RunMetrics(Families& out, const RunRow& row) : out_(out), row_(row) {
    run_ = {{"run", row.entry.id}, {"run_name", row.entry.name}};
  }

  void info() {
    Labels labels = run_;
    const auto tracked = row_.json.find("tracked");
    const auto text = [&](const char* key) {
      if (tracked == row_.json.end() || !tracked->is_object()) return std::string();
      const auto at = tracked->find(key);
      return at != tracked->end() && at->is_string() ? at->get<std::string>() : std::string();
    };
    labels.emplace_back("project", text("project"));
    labels.emplace_back("group", text("group"));
    labels.emplace_back("kind", row_.kind);
    out_.gauge("flatout_run_info", "", "What a running run is; always 1", {label_text(labels), 1});
    out_.gauge("flatout_run_age_seconds", "seconds", "How long the run has gone on",
               {label_text(run_), static_cast<double>(row_.entry.duration_ns) / 1e9});
  }

  // Of the process that a report is about: sums, so that a rate of one over a rate of the other is
  // the mean over any window.
  void steps(const OpenRun::Steps& steps) {
    if (steps.of->empty()) return;
    const StepsOf& first = steps.of->front();
    std::array<double, run::kPhaseCount> seconds{};
    for (const StepRow& step : first.steps) {
      for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += step.phases_ms[i] / 1e3;
    }
    out_.counter("flatout_steps", "", "Steps that the run has done",
                 {label_text(run_), static_cast<double>(first.steps.size())});
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      Labels labels = run_;
      labels.emplace_back("phase", run::kPhaseNames[i]);
      out_.counter("flatout_step_phase_seconds", "seconds",
                   "Time of the run's steps, by what the training thread did in it",
                   {label_text(labels), seconds[i]});
    }
  }

  void devices(RunSeries& series, const std::map<int, run::Device>& known) {
    const double last_ms = series.last_ms();
    for (const SeriesInfo& info : series.infos()) {
      if (info.kind != "metric" || !info.device || !std::isfinite(info.last)) continue;
      if (info.last_ms < last_ms - kOldMs) continue;
      run::Device device;
      if (const auto at = known.find(*info.device); at != known.end()) device = at->second;
      device.index = *info.device;
      reading(info, device);
    }
  }

 private:
  Labels of(const run::Device& device) const {
    Labels labels = run_;
    labels.emplace_back("hw_id", std::to_string(device.index));
    if (!device.name.empty()) labels.emplace_back("hw_name", device.name);
    return labels;
  }

  Labels of_dcgm(const run::Device& device) const {
    Labels labels = run_;
    const std::string index = std::to_string(device.index);
    labels.emplace_back("gpu", index);
    labels.emplace_back("device", "nvidia" + index);
    if (!device.uuid.empty()) labels.emplace_back("UUID", device.uuid);
    if (!device.name.empty()) labels.emplace_back("modelName", device.name);
    return labels;
  }

  void reading(const SeriesInfo& info, const run::Device& device) {
    for (const report::HardwareName& one : report::hardware_names()) {
      if (run::metric_info(one.metric)->name != info.name) continue;
      Labels labels = of(device);
      const bool task = one.attribute == "hw.gpu.task";
      if (!one.attribute.empty()) {
        labels.emplace_back(task ? "hw_gpu_task" : "hw_type", one.value);
      }
      out_.gauge(report::prometheus_name(one.name, one.unit), report::prometheus_unit(one.unit),
                 one.text, {label_text(labels), info.last});
      if (one.metric == run::Metric::kDeviceMemoryUsed && device.memory_total_bytes) {
        out_.gauge(report::prometheus_name(report::kMemoryLimitName, "By"), "bytes",
                   report::kMemoryLimitText,
                   {label_text(of(device)), static_cast<double>(*device.memory_total_bytes)});
      }
      if (one.metric == run::Metric::kDevicePower && device.power_limit_w) {
        out_.gauge("flatout_device_power_limit_watts", "watts", "Power that the GPU may draw",
                   {label_text(of(device)), *device.power_limit_w});
      }
    }
    for (const DcgmName& one : kDcgm) {
      if (run::metric_info(one.metric)->name != info.name) continue;
      out_.gauge(std::string(one.name), "", one.help,
                 {label_text(of_dcgm(device)), info.last * one.scale});
    }
  }

  Families& out_;
  const RunRow& row_;
  Labels run_;
};

}  // namespace

base::Result<std::vector<MetricFamily>> run_metrics(Api& api) {
  const auto seen = api.rows.latest();
  if (!seen) return std::unexpected(seen.error());
  Families out;
  std::size_t running = 0;
  for (const auto& row : *seen->list) {
    if (row->entry.state != run::RunState::kRunning || !row->entry.problem.empty()) continue;
    ++running;
    RunMetrics metrics(out, *row);
    metrics.info();
    const auto open = api.runs.open(row->entry.id);
    if (!open) continue;
    if (const auto steps = open->steps()) metrics.steps(*steps);
    const auto outline = open->outline();
    if (auto series = open->series()) {
      metrics.devices(*series->it, outline ? (*outline)->devices : std::map<int, run::Device>());
    }
  }
  // Among runs that are still being read others may go on.
  if (seen->unread == 0)
    out.gauge("flatout_runs_running", "", "Runs that go on", {"", static_cast<double>(running)});
  return out.take();
}

}  // namespace flatout::serve
