#include "analyse/compare/figures.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "run/phase.h"

namespace flatout::analyse {
namespace {

using Value = std::optional<double>;

class Figures {
 public:
  void add(std::string name, std::string unit, Value before, Value after) {
    if (before || after) all_.push_back({std::move(name), std::move(unit), before, after});
  }
  std::vector<run::Figure> take() { return std::move(all_); }

 private:
  std::vector<run::Figure> all_;
};

Value real(const std::optional<std::int64_t>& count) {
  return count ? Value(static_cast<double>(*count)) : std::nullopt;
}

void add_steps(const run::Report& before, const run::Report& after, Figures& out) {
  const run::StepsReport none;
  const run::StepsReport& a = before.steps ? *before.steps : none;
  const run::StepsReport& b = after.steps ? *after.steps : none;
  out.add("steps.median_ms", "ms", a.median_ms, b.median_ms);
  out.add("steps.mean_ms", "ms", a.mean_ms, b.mean_ms);
  out.add("steps.p95_ms", "ms", a.p95_ms, b.p95_ms);
  out.add("steps.samples_per_s", "samples/s", a.samples_per_s, b.samples_per_s);
  out.add("steps.batch_size", "count", a.batch_size, b.batch_size);
  out.add("steps.device_busy", "ratio", a.device_busy, b.device_busy);
  out.add("steps.intervals.startup_s", "s", a.startup_s, b.startup_s);
  out.add("steps.intervals.eval_s", "s", a.eval_s, b.eval_s);
  out.add("steps.intervals.epoch_gap_s", "s", a.epoch_gap_s, b.epoch_gap_s);
}

void add_host(const run::Report& before, const run::Report& after, Figures& out) {
  out.add("run.duration_s", "s", before.duration_s, after.duration_s);
  out.add("host.cpu_mean", "cores", before.host.cpu_mean, after.host.cpu_mean);
  out.add("host.others_cpu_mean", "cores", before.host.others_cpu_mean, after.host.others_cpu_mean);
  out.add("host.memory_peak_bytes", "bytes", real(before.host.memory_peak_bytes),
          real(after.host.memory_peak_bytes));
}

// A CPU as the device says what steps.device_busy says already.
std::map<int, const run::DeviceReport*> accelerators(const run::Report& report) {
  std::map<int, const run::DeviceReport*> found;
  for (const run::DeviceReport& device : report.devices) {
    if (device.kind != "cpu") found.emplace(device.index, &device);
  }
  return found;
}

Value busy(const run::DeviceReport& device) {
  return device.utilization ? Value(device.utilization->mean) : std::nullopt;
}

Value of(const std::optional<run::KernelTraceReport>& trace,
         double run::KernelTraceReport::* what) {
  return trace ? Value((*trace).*what) : std::nullopt;
}

void add_traced(const std::string& prefix, const std::optional<run::KernelTraceReport>& before,
                const std::optional<run::KernelTraceReport>& after, Figures& out) {
  using Trace = run::KernelTraceReport;
  const auto add = [&](const char* name, double Trace::* what) {
    out.add(prefix + name, "ratio", of(before, what), of(after, what));
  };
  add("busy", &Trace::busy);
  add("compute", &Trace::compute);
  add("comm_exposed", &Trace::comm_exposed);
  add("copy_exposed", &Trace::copy_exposed);
  add("idle", &Trace::idle);
}

void add_devices(const run::Report& before, const run::Report& after, Figures& out) {
  const auto first = accelerators(before);
  auto second = accelerators(after);
  if (first.size() == 1 && second.size() == 1 && first.begin()->second->trace &&
      second.begin()->second->trace) {  // traces number their one device as the machine does
    second = {{first.begin()->first, second.begin()->second}};
  }
  std::set<int> indices;
  for (const auto& [index, device] : first) indices.insert(index);
  for (const auto& [index, device] : second) indices.insert(index);
  const run::DeviceReport none;
  for (int index : indices) {
    const auto a_at = first.find(index);
    const auto b_at = second.find(index);
    const run::DeviceReport& a = a_at == first.end() ? none : *a_at->second;
    const run::DeviceReport& b = b_at == second.end() ? none : *b_at->second;
    const std::string prefix = "devices." + std::to_string(index) + ".";
    add_traced(prefix, a.trace, b.trace, out);
    out.add(prefix + "utilization.mean", "ratio", busy(a), busy(b));
    out.add(prefix + "memory_used_bytes", "bytes", real(a.memory_used_bytes),
            real(b.memory_used_bytes));
    out.add(prefix + "power_w", "W", a.power_w, b.power_w);
    out.add(prefix + "temperature_c", "celsius", a.temperature_c, b.temperature_c);
    out.add(prefix + "sm_clock_mhz", "MHz", a.sm_clock_mhz, b.sm_clock_mhz);
    out.add(prefix + "activity.sm", "ratio", a.activity.sm, b.activity.sm);
    out.add(prefix + "activity.tensor", "ratio", a.activity.tensor, b.activity.tensor);
  }
}

Value share_of(const run::Report& report, const std::string& phase) {
  if (!report.steps) return std::nullopt;
  const auto found = report.steps->phases.find(phase);
  return found == report.steps->phases.end() ? std::nullopt : Value(found->second);
}

Value ms_of(const run::Report& report, const Value& share) {
  if (!share || !report.steps->mean_ms) return std::nullopt;
  return *share * *report.steps->mean_ms;
}

std::map<std::string, const run::Finding*> weighty(const run::Report& report) {
  std::map<std::string, const run::Finding*> found;
  for (const run::Finding& finding : report.findings) {
    if (finding.severity != run::Severity::kInfo) found.emplace(finding.id, &finding);
  }
  return found;
}

}  // namespace

std::vector<run::Figure> figures(const run::Report& before, const run::Report& after) {
  Figures out;
  add_steps(before, after, out);
  add_devices(before, after, out);
  add_host(before, after, out);
  return out.take();
}

std::vector<run::PhaseChange> phase_changes(const run::Report& before, const run::Report& after) {
  std::vector<run::PhaseChange> out;
  for (std::size_t i = 1; i <= run::kPhaseCount; ++i) {
    run::PhaseChange change;
    change.name = run::kPhaseNames[i % run::kPhaseCount];  // `other` last
    change.before_share = share_of(before, change.name);
    change.after_share = share_of(after, change.name);
    if (!change.before_share && !change.after_share) continue;
    change.before_ms = ms_of(before, change.before_share);
    change.after_ms = ms_of(after, change.after_share);
    out.push_back(std::move(change));
  }
  return out;
}

std::vector<run::FindingChange> finding_changes(const run::Report& before,
                                                const run::Report& after) {
  const auto first = weighty(before);
  const auto second = weighty(after);
  std::vector<run::FindingChange> out;
  for (const auto& [id, finding] : first) {
    const auto other = second.find(id);
    run::FindingChange change{.id = id,
                              .before_cause = std::string(run::cause_name(finding->cause)),
                              .after_cause = "",
                              .presence = run::Presence::kWent,
                              .before_share = finding->share,
                              .after_share = std::nullopt};
    if (other != second.end()) {
      change.presence = run::Presence::kStayed;
      change.after_cause = run::cause_name(other->second->cause);
      change.after_share = other->second->share;
    }
    out.push_back(std::move(change));
  }
  for (const auto& [id, finding] : second) {
    if (first.contains(id)) continue;
    out.push_back({id, "", std::string(run::cause_name(finding->cause)), run::Presence::kCame,
                   std::nullopt, finding->share});
  }
  std::ranges::stable_sort(out, std::greater<>(), [](const run::FindingChange& change) {
    return std::max(change.before_share.value_or(0), change.after_share.value_or(0));
  });
  return out;
}

}  // namespace flatout::analyse
