// What a kernel trace says of its devices: busy, why idle, kernels.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "report/kernel_names.h"
#include "report/quantity.h"
#include "report/text_parts.h"
#include "run/wait_text.h"

namespace flatout::report {
namespace {

constexpr double kShownOfWindow = 0.005;  // of the window: below it a share would read "<1 %"

// One more of a list.
std::string listed(std::string text, const std::string& item) {
  return text.empty() ? item : text + ", " + item;
}

using Share = std::pair<std::string_view, double>;

// The largest first; "" where none is worth its words.
std::string shares_text(std::vector<Share> shares) {
  std::ranges::stable_sort(shares, std::ranges::greater(), &Share::second);
  std::string text;
  for (const auto& [name, share] : shares) {
    if (!(share >= kShownOfWindow)) continue;
    text = listed(text, std::string(name) + " " + format_percent(share));
  }
  return text;
}

std::string traced_busy_text(const run::KernelTraceReport& trace) {
  const std::string parts = shares_text({{"compute", trace.compute},
                                         {"exposed collectives", trace.comm_exposed},
                                         {"exposed copies", trace.copy_exposed}});
  return "busy " + format_percent(trace.busy) + " of " + format_ms(trace.window_ms) +
         (trace.of_steps ? " of steps" : "") + (parts.empty() ? "" : ": " + parts);
}

std::string idle_text(const run::KernelTraceReport& trace) {
  const std::string text = format_percent(trace.idle);
  if (!trace.idle_account) return text;
  std::vector<Share> shares;
  for (const IdleCauseWords& cause : idle_causes(*trace.idle_account)) {
    shares.emplace_back(cause.words, cause.share);
  }
  const std::string causes = shares_text(std::move(shares));
  return causes.empty() ? text : text + ": " + causes;
}

std::string kernels_text(const run::KernelsReport& kernels) {
  std::string text = std::to_string(kernels.count);
  if (kernels.short_share) text += ", " + format_percent(*kernels.short_share) + " under 10 us";
  if (kernels.graph_share) text += ", " + format_percent(*kernels.graph_share) + " in CUDA graphs";
  if (kernels.tensor_core_share) {
    text += "; tensor cores in " + format_percent(*kernels.tensor_core_share) + " of their time";
  }
  return text;
}

// The slowest by name, without the arguments of templates.
std::string top_text(const run::KernelsReport& kernels, const Style& style) {
  constexpr std::size_t kNames = 3;
  constexpr std::size_t kNameColumns = 32;
  // Instances of one template look alike.
  std::vector<std::pair<std::string, double>> times;
  for (const run::KernelNameReport& kernel : kernels.top) {
    const std::string name = shorten(cleaned(short_kernel_name(kernel.name), style), kNameColumns);
    const auto known = std::ranges::find(times, name, &std::pair<std::string, double>::first);
    if (known == times.end()) {
      times.emplace_back(name, kernel.time_ms);
    } else {
      known->second += kernel.time_ms;
    }
  }
  std::ranges::stable_sort(times, std::ranges::greater(), &std::pair<std::string, double>::second);
  std::string text;
  for (std::size_t i = 0; i < std::min(kNames, times.size()); ++i) {
    text = listed(text, times[i].first + " " + format_percent(times[i].second / kernels.time_ms));
  }
  return text;
}

// Empty where the call began before the time that is known: then it is not counted.
std::string calls_text(const run::WaitReport& wait) {
  if (wait.count == 0) return "";
  return " (" + std::to_string(wait.count) + (wait.count == 1 ? " call of " : " calls of ") +
         format_ms(wait.time_ms / static_cast<double>(wait.count)) + ")";
}

// The callers that cost the device most, of what it idled for want of them.
std::string waits_text(const run::Report& report, const run::KernelTraceReport& trace,
                       const Style& style) {
  constexpr std::size_t kShownWaits = 2;
  std::string text;
  std::size_t shown = 0;
  for (const run::WaitReport& wait : trace.waits) {
    const double share = wait.idle_ms.value_or(0) / trace.window_ms;
    if (!(share >= kShownOfWindow) || shown++ == kShownWaits) break;
    const std::string where = relative_paths(run::wait_text(wait), report.run.cwd);
    text = listed(text, cleaned(where, style) + " " + format_percent(share) + calls_text(wait));
  }
  return text;
}

std::string copies_text(const run::CopiesReport& copies) {
  if (copies.h2d_bytes.value_or(0) <= 0) return "";
  std::string text = "to the device " + format_bytes(static_cast<double>(*copies.h2d_bytes)) +
                     " in " + format_ms(copies.h2d_ms);
  if (copies.pageable_share) {
    text += ", " + format_percent(*copies.pageable_share) + " from pageable memory";
  }
  return text;
}

std::string comm_text(const run::CommReport& comm) {
  if (comm.time_ms <= 0) return "";
  return format_ms(comm.time_ms) + ", of which " + format_ms(comm.exposed_ms) + " exposed";
}

}  // namespace

std::vector<IdleCauseWords> idle_causes(const run::IdleAccountReport& account) {
  // By run::IdleCause.
  constexpr std::array<std::string_view, run::kIdleCauses> kWords = {"batch fetch",
                                                                     "copy calls",
                                                                     "late launch",
                                                                     "host sync",
                                                                     "other ranks",
                                                                     "set-up",
                                                                     "checkpoint or evaluation",
                                                                     "throttling",
                                                                     "unexplained"};
  std::vector<IdleCauseWords> causes;
  for (std::size_t cause = 0; cause < run::kIdleCauses; ++cause) {
    causes.push_back({kWords[cause], account.shares[cause]});
  }
  std::ranges::stable_sort(causes, std::ranges::greater(), &IdleCauseWords::share);
  return causes;
}

std::string launches_text(const run::LaunchesReport& launches) {
  std::string text = format_us(launches.delay_us_median) + " ahead in the median, p95 " +
                     format_us(launches.delay_us_p95);
  if (launches.empty_queue_share) {
    text += "; " + format_percent(*launches.empty_queue_share) + " found an empty queue";
  }
  return text;
}

std::string tracing_text(const run::TracingReport& tracing) {
  const auto with_why = [&tracing](std::string text) {
    return tracing.why.empty() ? text : text + ": " + tracing.why;
  };
  std::string text;
  if (tracing.windows && tracing.traced_s) {
    text = *tracing.windows == 1 ? format_seconds(*tracing.traced_s)
                                 : std::to_string(*tracing.windows) + " windows, " +
                                       format_seconds(*tracing.traced_s) + " together";
    if (tracing.share) text += ", " + format_percent(*tracing.share) + " of the run";
    if (tracing.state == "on") {
      text = with_why(text);
    } else if (tracing.state == "yielded" || tracing.state == "failed") {
      text += with_why("; then " + std::string(tracing.state == "failed" ? "it failed" : "off"));
    }
  } else if (tracing.state == "on") {
    text = "on, but nothing ran on a device";
  } else {
    text = with_why("none");
  }
  if (tracing.dropped == 0) return text;
  return text + "; " + std::to_string(tracing.dropped) +
         (tracing.dropped == 1 ? " record was" : " records were") +
         " dropped, so that devices were busier than shown";
}

void add_traces(const run::Report& report, Page& page) {
  if (report.tracing) {
    page.add_field(kDevice, "Traced", cleaned(tracing_text(*report.tracing), page.style()));
  }
  const auto traced = std::ranges::count_if(
      report.devices, [](const run::DeviceReport& device) { return device.trace.has_value(); });
  constexpr int kShownDevices = 2;  // the rest stands in the full report
  int shown = 0;
  for (const run::DeviceReport& device : report.devices) {
    if (!device.trace || ++shown > kShownDevices) continue;
    const run::KernelTraceReport& trace = *device.shown_trace();
    const std::string number = traced > 1 ? " " + std::to_string(device.index) : "";
    const auto add = [&](int rank, const std::string& label, const std::string& text) {
      if (!text.empty()) page.add_field(rank, label, text);
    };
    const std::string driver = report.run.trace_file.empty() ? driver_text(device) : "";
    add(kDevice, "GPU" + number, traced_busy_text(trace) + (driver.empty() ? "" : "; " + driver));
    add(kDevice, "Idle", idle_text(trace));
    add(kDevice, "Waits", waits_text(report, trace, page.style()));
    add(kDevice, "Kernels", kernels_text(trace.kernels));
    add(kSample, "Slowest", top_text(trace.kernels, page.style()));
    std::string launches = trace.launches ? launches_text(*trace.launches) : "";
    if (!launches.empty() && trace.queue) launches += "; " + queue_text(*trace.queue);
    add(kSample, "Launches", launches);
    add(kDevice, "Roofline", trace.roofline ? roofline_text(*trace.roofline) : "");
    const auto& memory = trace.memory ? trace.memory : device.allocator;
    if (memory) add(allocator_rank(*memory), "Memory", allocator_text(*memory));
    add(kSample, "Copies", copies_text(trace.copies));
    add(kSample, "Comm", comm_text(trace.comm));
  }
}

}  // namespace flatout::report
