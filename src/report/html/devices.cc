// One part a device: what it did over the run, and its figures by their keys
// in the JSON view, so that a figure that is new there is shown here.
#include <algorithm>
#include <cmath>
#include <set>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

std::vector<const run::Chart*> charts_of(const run::Charts& charts, int device,
                                         std::initializer_list<std::string_view> metrics,
                                         bool only_where_not_zero = false) {
  std::vector<const run::Chart*> out;
  for (const std::string_view metric : metrics) {
    for (const run::Chart& chart : charts.series) {
      if (chart.device != device || chart.metric != metric) continue;
      const bool speaks = std::ranges::any_of(
          chart.points, [](const run::ChartPoint& point) { return point.max > 0; });
      if (speaks || !only_where_not_zero) out.push_back(&chart);
    }
  }
  return out;
}

std::string pattern_words(const run::Utilization& use) {
  if (use.pattern.empty()) return "The pattern of its use is not resolved.";
  std::string text = "Pattern: " + use.pattern;
  if (use.period_ms) text += ", period " + format_ms(*use.period_ms);
  if (use.duty) text += ", busy " + format_percent(*use.duty) + " of a period";
  return text + ". Source: " + use.source + ".";
}

void sampled_figures(Page& page, int index, const std::string& pattern) {
  const auto add = [&](std::string title, std::vector<const run::Chart*> series,
                       std::optional<double> top = {}, std::string note = "") {
    series_figure(page, {std::move(title), std::move(note), std::move(series), top});
  };
  const auto of = [&](std::initializer_list<std::string_view> metrics, bool speaking = false) {
    return charts_of(page.charts, index, metrics, speaking);
  };
  add("Utilisation",
      of({"device.utilization", "device.gpm.sm", "device.gpm.tensor", "device.gpm.dram"}), 1,
      pattern + " A line is the mean, its band reaches from the least to the greatest reading.");
  add("Memory", of({"device.memory.used"}));
  add("Memory of the framework's allocator",
      of({"device.allocator.allocated", "device.allocator.reserved",
          "device.allocator.allocated_peak"}));
  add("Power", of({"device.power"}));
  add("Temperature", of({"device.temperature"}));
  add("SM clock", of({"device.clock.sm"}));
  add("Share of time with clocks held down",
      of({"device.throttle.power", "device.throttle.thermal", "device.throttle.other"}, true), 1);
  add("PCIe", of({"device.pcie.received"}, true));
  add("Use by other programs", of({"device.others.utilization"}, true), 1);
}

// The CPU as the device: how much of each step's time it computes.
void busy_figure(Page& page, const run::Utilization& use) {
  run::Chart busy{.metric = "device.utilization", .label = "CPU", .unit = "ratio", .points = {}};
  for (const run::StepBar& bar : page.charts.steps) {
    if (bar.mean_ms <= 0) continue;
    double computes = 0;
    for (const auto& [phase, ms] : bar.phases_ms) {
      if (phase_computes(phase)) computes += ms;
    }
    const double share = computes / bar.mean_ms;
    busy.points.push_back({(bar.start_s + bar.end_s) / 2, share, share, share});
  }
  busy.limits.push_back({"mean of the steady steps", use.mean});
  series_figure(page, {"Busy, step by step",
                       pattern_words(use) + " Without an accelerator the CPU is the device: busy "
                                            "is the time in forward, backward and optimizer.",
                       {&busy},
                       1,
                       "marker"});
}

// Nested objects become entries of their own: "throttled power".
void figure_entries(Markup& out, const Json& object, const std::string& prefix) {
  static const std::set<std::string> kToldElsewhere = {
      "index",        "name",   "kind",  "unavailable", "idle_account",
      "what_if_free", "launch", "queue", "roofline",    "allocator"};
  for (const auto& item : object.items()) {
    if (prefix.empty() && kToldElsewhere.contains(item.key())) continue;
    if (item.value().is_array()) continue;  // lists of kernels: add_trace
    if (item.value().is_object()) {
      figure_entries(out, item.value(), prefix + key_words(item.key()).words + " ");
      continue;
    }
    const KeyWords key = key_words(item.key());
    std::string unit = key.unit;
    static const std::set<std::string> kShares = {"utilization ", "throttled ", "activity "};
    static const std::set<std::string> kSharesOfTrace = {"busy",         "compute", "comm_exposed",
                                                         "copy_exposed", "idle",    "overlap"};
    if (unit.empty() && kShares.contains(prefix)) unit = "ratio";
    if (unit.empty() && kSharesOfTrace.contains(item.key())) unit = "ratio";
    const auto group = out.in("div");
    out.element("dt", prefix + key.words);
    const auto description = out.in("dd");
    show(out, item.value(), unit);
  }
}

void device_part(Page& page, const run::DeviceReport& device, const Json& figures) {
  const bool cpu = device.kind == "cpu";
  page.out.element("h3", (cpu ? "CPU: " : "GPU " + std::to_string(device.index) + ": ") +
                             short_device_name(device.name));
  {
    const auto list = page.out.in("dl", {{"class", "facts"}});
    figure_entries(page.out, figures, "");
  }
  if (device.allocator) {
    page.out.element(
        "p", "Memory of the framework's allocator: " + allocator_text(*device.allocator) + ".");
  }
  if (const auto* trace = device.shown_trace()) add_trace(page, *trace);
  if (cpu) {
    if (device.utilization) busy_figure(page, *device.utilization);
  } else {
    sampled_figures(page, device.index,
                    device.utilization ? pattern_words(*device.utilization) : "");
  }
}

}  // namespace

void add_devices(Page& page) {
  std::set<int> others;  // sampled, but not told of in the report
  for (const run::Chart& chart : page.charts.series) {
    if (chart.device) others.insert(*chart.device);
  }
  if (page.report.devices.empty() && others.empty()) return;
  const auto part = section(page.out, "devices", "The device");
  if (page.report.tracing) {
    page.out.element("p", "Kernel trace: " + tracing_text(*page.report.tracing) + ".");
  }
  for (std::size_t i = 0; i < page.report.devices.size(); ++i) {
    const run::DeviceReport& device = page.report.devices[i];
    if (device.kind != "cpu") others.erase(device.index);
    device_part(page, device, page.figures["devices"][i]);
  }
  for (const int index : others) {
    page.out.element("h3", "GPU " + std::to_string(index) + ": not used by the steps");
    sampled_figures(page, index, "");
  }
}

}  // namespace flatout::report::html
