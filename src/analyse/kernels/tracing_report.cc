#include "analyse/kernels/tracing_report.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "analyse/kernels/traced_windows.h"

namespace flatout::analyse {
namespace {

// Of several processes the one that came furthest counts: a launcher traces nothing.
constexpr std::array<std::string_view, 4> kStates = {"on", "yielded", "failed", "absent"};

std::size_t rank_of(std::string_view state) {
  return static_cast<std::size_t>(std::ranges::find(kStates, state) - kStates.begin());
}

struct Coverage {
  std::int64_t windows = 0;
  std::int64_t ns = 0;
};

Coverage coverage_of(const run::ProcessTrack& process) {
  Coverage coverage;
  for (const TimeWindow& window : traced_windows(process)) {
    ++coverage.windows;
    coverage.ns += window.end_ns - window.begin_ns;
  }
  // Of a process that was killed before its first window had ended.
  if (coverage.windows == 0 && !process.activities.empty()) {
    coverage = {1, process.activities.last_ns() - process.activities.first_ns()};
  }
  return coverage;
}

}  // namespace

std::optional<run::TracingReport> tracing_report(const run::Timeline& timeline) {
  // Before anything is looked for in a trace of another tool, which may have many millions of
  // calls.
  if (!timeline.info.trace_file.empty()) return std::nullopt;
  run::TracingReport report;
  Coverage most;
  bool cut_short = false;
  bool asked = timeline.counts.trace_events.has_value();
  for (const auto& [pid, process] : timeline.processes) {
    if (!process.trace_windows.empty()) asked = true;
    for (const run::TraceWindow& window : process.trace_windows) report.dropped += window.dropped;
    cut_short = cut_short || time_behind_windows(process).has_value();
    const Coverage coverage = coverage_of(process);
    if (coverage.ns > most.ns) most = coverage;
    const run::TraceFact* said = run::latest_of(process.facts.observed().traces);
    if (said == nullptr) continue;
    asked = true;
    if (!report.state.empty() && rank_of(said->state) >= rank_of(report.state)) continue;
    report.state = said->state;
    report.why = said->why;
    report.cupti = said->cupti;
  }
  if (!asked) return std::nullopt;
  if (report.state == "on" && cut_short) {
    report.why = "a process ended before its last records had come";
  }
  report.dropped += timeline.counts.trace_dropped.value_or(0);
  if (most.windows == 0) return report;
  report.windows = most.windows;
  report.traced_s = static_cast<double>(most.ns) / 1e9;
  const std::int64_t end_ns = timeline.end ? timeline.end->t_ns : timeline.last_ns;
  const std::int64_t run_ns = end_ns - timeline.info.started_ns;
  if (run_ns > 0) {
    report.share = std::min(1.0, static_cast<double>(most.ns) / static_cast<double>(run_ns));
  }
  return report;
}

}  // namespace flatout::analyse
