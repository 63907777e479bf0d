// What was measured of the steps: their time by phase, the device, the loader.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <ranges>
#include <string>
#include <vector>

#include "report/quantity.h"
#include "report/text_parts.h"
#include "run/phase.h"

namespace flatout::report {
namespace {

constexpr double kSmallShare = 0.05;
constexpr double kShownShare = 0.005;  // below it a phase would read "0 %"
constexpr std::size_t kBarColumns = 20;

std::string join(std::string text, std::string_view separator, const std::string& part) {
  if (text.empty()) return part;
  return part.empty() ? text : text.append(separator).append(part);
}

}  // namespace

std::string step_text(const run::StepsReport& steps) {
  std::string text;
  if (steps.median_ms) {
    text = format_ms(*steps.median_ms) + " median";
    std::string more;
    if (steps.p95_ms) {
      more = steps.median_ms < 10'000 && steps.p95_ms < 10'000
                 ? "p95 " + format_number(*steps.p95_ms)
                 : "p95 " + format_ms(*steps.p95_ms);
    }
    // The phases below are shares of the mean; say it where it differs.
    if (steps.mean_ms && std::abs(*steps.mean_ms - *steps.median_ms) > *steps.median_ms * 0.05) {
      more = join(more, ", ", "mean " + format_ms(*steps.mean_ms));
    }
    if (!more.empty()) text += " (" + more + ")";
  } else if (steps.mean_ms) {
    text = format_ms(*steps.mean_ms) + " mean";
  }
  if (steps.samples_per_s) {
    text = join(text, ", ", format_number(*steps.samples_per_s) + " samples/s");
  }
  if (steps.batch_size) text = join(text, ", ", "batch " + format_number(*steps.batch_size));
  return text.empty() ? "too few steps to measure" : text;
}

namespace {

// Whole milliseconds from 10 on, so that the column reads well.
std::string phase_ms(double ms) {
  return ms >= 9.5 && ms < 10'000 ? format_ms(std::round(ms)) : format_ms(ms);
}

std::string phase_line(std::string_view name, double share, const run::StepsReport& steps,
                       std::size_t columns) {
  const auto step_ms = steps.mean_ms ? steps.mean_ms : steps.median_ms;
  const std::string time = step_ms ? phase_ms(*step_ms * share) : "";
  std::string line = "  " + padded(name, 10) + padded_left(time, 8) + " " +
                     padded_left(format_percent(share), 5) + "  ";
  // 20 columns are all of the step, fewer where the page is narrow.
  const std::size_t room = columns - std::min(columns, line.size());
  const double all = static_cast<double>(std::min(kBarColumns, room));
  return line.append(static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * all)), '#');
}

struct PhaseShare {
  std::string name;
  double share = 0;
};

std::vector<PhaseShare> shown_phases(const run::StepsReport& steps) {
  std::vector<PhaseShare> out;
  for (std::size_t i = 1; i <= run::kPhaseCount; ++i) {
    const std::string name(run::kPhaseNames[i % run::kPhaseCount]);  // `other` last
    const auto found = steps.phases.find(name);
    if (found == steps.phases.end() || !std::isfinite(found->second)) continue;
    if (found->second >= kShownShare) out.push_back({name, found->second});
  }
  return out;
}

// A line each; where the page is full, the small ones share one.
void add_phases(const run::StepsReport& steps, Page& page) {
  std::vector<std::string> lines;
  std::vector<std::string> shorter;
  std::string small;
  for (const PhaseShare& phase : shown_phases(steps)) {
    lines.push_back(phase_line(phase.name, phase.share, steps, page.columns()));
    if (phase.share >= kSmallShare) {
      shorter.push_back(lines.back());
    } else {
      small = join(small, ", ", phase.name + " " + format_percent(phase.share));
    }
  }
  if (lines.empty()) return;
  if (!small.empty()) {
    constexpr std::size_t kIndent = 14;  // where the milliseconds of the others begin
    std::ranges::move(wrap(padded("  smaller", kIndent), small, page.columns()),
                      std::back_inserter(shorter));
  }
  page.add({.rank = kMainPhase, .lines = lines, .shorter = shorter, .shortened = kSmallPhase});
}

std::string busy_text(const run::Report& report, const run::DeviceReport& device) {
  std::string text;
  if (device.utilization) {
    text = "busy " + format_percent(device.utilization->mean);
    const run::Utilization& use = *device.utilization;
    if (!use.pattern.empty()) text += ", " + use.pattern;
    if (!use.pattern.empty() && use.period_ms) {
      text += " (" + format_seconds(*use.period_ms / 1000) + ")";
    }
  } else if (report.steps && report.steps->device_busy && report.devices.size() == 1) {
    text = "busy " + format_percent(*report.steps->device_busy) + " of the step";
  }
  return text;
}

std::string throttled_text(const run::ThrottledReport& throttled) {
  constexpr double kWorthSaying = 0.05;
  std::string text;
  const auto add = [&text](const char* by, const std::optional<double>& share) {
    if (!share || !(*share >= kWorthSaying)) return;
    text = join(text, ", ", std::string(by) + " " + format_percent(*share));
  };
  add("thermal", throttled.thermal);
  add("power", throttled.power);
  add("other", throttled.other);
  return text.empty() ? text : "throttled: " + text;
}

}  // namespace

std::string driver_text(const run::DeviceReport& device) {
  std::string text;
  if (device.memory_used_bytes && device.memory_total_bytes) {
    text = format_bytes_of(static_cast<double>(*device.memory_used_bytes),
                           static_cast<double>(*device.memory_total_bytes));
  }
  if (device.power_w) {
    std::string power = format_number(*device.power_w);
    if (device.power_limit_w) power += " of " + format_number(*device.power_limit_w);
    text = join(text, "; ", power + " W");
  }
  return join(text, "; ", throttled_text(device.throttled));
}

namespace {

std::string host_text(const run::Report& report) {
  const run::HostReport& host = report.host;
  std::string text;
  if (host.cpu_mean) {
    text = format_number(*host.cpu_mean);
    if (host.cpus > 0) text += " of " + std::to_string(host.cpus);
    text += " cores";
  }
  if (host.memory_peak_bytes) {
    const auto peak = static_cast<double>(*host.memory_peak_bytes);
    text = join(
        text, "; ",
        "memory peak " + (host.memory_limit_bytes
                              ? format_bytes_of(peak, static_cast<double>(*host.memory_limit_bytes))
                              : format_bytes(peak)));
  }
  return text;
}

std::string stages_text(const std::vector<run::StageShare>& stages, std::size_t most,
                        const Style& style) {
  std::string text;
  double rest = 0;
  std::size_t shown = 0;
  for (const run::StageShare& stage : stages) {
    if (stage.name == "other" || shown == most || stage.share < kShownShare) {
      rest += stage.share;
      continue;
    }
    text = join(text, ", ",
                shorten(cleaned(stage.name, style), 32) + " " + format_percent(stage.share));
    ++shown;
  }
  if (shown == 0) return "";  // nothing was told apart
  return rest >= kShownShare ? join(text, ", ", "other " + format_percent(rest)) : text;
}

// Where the threads of the loading engine spend their time: the largest parts.
std::string engine_text(const run::EngineWork& work) {
  constexpr std::size_t kShown = 4;  // so that a line holds them
  std::vector<run::StageShare> parts;
  run::StageShare waiting = {"waiting", 0};
  for (const run::EngineStage& stage : work.stages) {
    parts.push_back({std::string(run::engine_part_name(stage.part)), stage.busy_s});
    waiting.share += stage.blocked_s;
  }
  parts.push_back(waiting);
  parts.push_back({"idle", work.idle_full_s.value_or(0) + work.idle_starved_s.value_or(0)});
  double all = 0;
  for (const run::StageShare& part : parts) all += part.share;
  if (!std::isfinite(all) || all <= 0) return "";
  std::ranges::stable_sort(parts, std::greater(), &run::StageShare::share);
  std::string text;
  for (const run::StageShare& part : parts | std::views::take(kShown)) {
    if (part.share / all < kShownShare) continue;
    text =
        join(text, ", ", shorten(to_ascii(part.name), 12) + " " + format_percent(part.share / all));
  }
  if (!work.threads) return text;
  return std::to_string(*work.threads) + (*work.threads == 1 ? " thread: " : " threads: ") + text;
}

// Who makes the batches.
std::string makers_text(const run::LoaderReport& loader) {
  if (!loader.engine.empty()) {
    const auto fetched = loader.fetched_batches.value_or(0);
    const std::string rest =
        fetched > 0 ? " (Python: " + std::to_string(fetched) + " batches)" : "";
    const std::string kept = loader.cache.empty() ? "" : ", " + loader.cache + " samples kept";
    return "flatout's " + loader.engine + " engine" + kept + rest;
  }
  return std::to_string(loader.workers) + (loader.workers == 1 ? " worker" : " workers");
}

}  // namespace

void add_steps(const run::Report& report, Page& page) {
  if (!report.steps) return;
  page.add_field(kAlways, "Step", step_text(*report.steps));
  add_phases(*report.steps, page);
}

void add_unseen(const run::Report& report, Page& page) {
  if (!report.steps) return;
  std::map<std::string, std::string> phases_of;  // one reason, told once
  std::string all;
  for (const auto& [phase, reason] : report.steps->phases_unavailable) {
    phases_of[reason] = join(phases_of[reason], ", ", phase);
    all = join(all, ", ", phase);
  }
  std::string text;
  for (const auto& [reason, phases] : phases_of) {
    text = join(text, "; ", phases + " (" + reason + ")");
  }
  if (text.empty()) return;
  const auto lines = [&](const std::string& what) {
    return wrap(toned(Tone::kHeading, "Not measured:") + " ", cleaned(what, page.style()),
                page.columns());
  };
  page.add({.rank = kUnavailable, .lines = lines(text), .shorter = lines(all)});
}

void add_devices(const run::Report& report, Page& page) {
  constexpr std::size_t kShown = 2;
  bool host_is_device = false;
  std::size_t shown = 0;
  std::size_t unused = 0;
  const auto gpus = std::ranges::count_if(
      report.devices, [](const run::DeviceReport& device) { return device.kind != "cpu"; });
  for (const run::DeviceReport& device : report.devices) {
    if (device.trace) continue;  // add_traces
    std::string text = busy_text(report, device);
    const bool is_cpu = device.kind == "cpu";
    if (is_cpu) {
      host_is_device = true;
      text = join(text, "; ", host_text(report));
    } else if (!device.used.value_or(true)) {
      if (device.visible_index) ++unused;
      continue;
    } else {
      text = join(text, "; ", driver_text(device));
    }
    if (text.empty() || shown == kShown) continue;
    ++shown;
    std::string label = is_cpu ? "CPU" : "GPU";
    if (!is_cpu && gpus > 1) label += " " + std::to_string(device.index);
    page.add_field(kDevice, label, cleaned(text, page.style()));
    if (device.allocator)
      page.add_field(allocator_rank(*device.allocator), "Memory",
                     allocator_text(*device.allocator));
  }
  if (unused > 0) {
    page.add_field(kHost, "Unused", std::to_string(unused) + (unused == 1 ? " GPU" : " GPUs"));
  }
  const std::string host = host_text(report);
  const bool seen = !report.steps && report.run.trace_file.empty();  // add_no_steps has it
  if (!host_is_device && !seen && !host.empty()) page.add_field(kHost, "Host", host);
}

namespace {

// "2.4 ms (99 % CPU): JPEG decode 52 %, ...", with at most so many of its stages.
std::string sample_text(const run::LoaderReport& loader, std::size_t stages, const Style& style) {
  std::string text;
  if (loader.sample_ms) text = format_ms(*loader.sample_ms);
  if (loader.sample_cpu_share && loader.sample_ms) {
    text += " (" + format_percent(*loader.sample_cpu_share) + " CPU)";
  }
  return join(text, ": ", stages_text(loader.stages, stages, style));
}

}  // namespace

void add_loader(const run::Report& report, Page& page) {
  constexpr std::size_t kStages = 4;
  constexpr std::size_t kFewStages = 2;
  if (!report.loader) return;
  const run::LoaderReport& loader = *report.loader;
  const std::string sample = sample_text(loader, kStages, page.style());
  if (!sample.empty()) {
    page.add_field(kSample, "Sample", sample, sample_text(loader, kFewStages, page.style()));
  }
  const std::string engine = loader.engine_work ? engine_text(*loader.engine_work) : "";
  if (!engine.empty()) page.add_field(kSample, "Engine", engine);

  std::string text = relative_paths(loader.built_at, report.run.cwd);
  text = join(text, "  ", makers_text(loader));
  if (loader.max_samples_per_s) {
    text += ", could deliver " + format_number(*loader.max_samples_per_s) + " samples/s";
  }
  if (loader.engine_measured && loader.engine_measured->speed) {
    text += (loader.max_samples_per_s ? "; flatout's engine " : ", flatout's engine makes ") +
            format_number(loader.engine_measured->speed->samples_per_s) +
            (loader.max_samples_per_s ? "" : " samples/s") + " (measured)";
  }
  page.add_field(kLoader, "Loader", cleaned(text, page.style()));
}

}  // namespace flatout::report
