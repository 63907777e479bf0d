#include "analyse/charts/charts.h"

#include <map>

#include "analyse/charts/parts.h"
#include "run/facts.h"

namespace flatout::analyse {
namespace {

namespace facts = run::facts;

// What the environment section tells; the loader has a section of its own.
std::vector<run::Fact> told_facts(const run::Timeline& timeline, pid_t pid) {
  const auto process = timeline.processes.find(pid);
  if (process == timeline.processes.end()) return {};
  std::vector<run::Fact> out;
  for (const std::string_view key : {facts::kEnvironment, facts::kFramework, facts::kModel,
                                     facts::kOptimizer, facts::kPrecision, facts::kRank}) {
    const run::Fact* latest = nullptr;
    for (const run::Fact& fact : process->second.facts) {
      if (fact.key == key) latest = &fact;
    }
    if (latest != nullptr) out.push_back(*latest);
  }
  return out;
}

// What is drawn of the step lane's spans, of which there is one pass.
void add_spans(const run::Timeline& timeline, const Analysis& analysis, RunTime time,
               const ChartSizes& sizes, run::Charts& out) {
  std::vector<run::Span> checkpoints;
  const auto process = timeline.processes.find(analysis.pid);
  if (process != timeline.processes.end()) {
    const run::ThreadSpans lane(process->second, analysis.lane, [&](const run::Span& span) {
      const bool inner = !checkpoints.empty() && span.end_ns <= checkpoints.back().end_ns;
      if (span.phase == run::Phase::kCheckpoint && !span.implied && !inner) {
        checkpoints.push_back(span);
      }
    });
    out.close_up = close_up(timeline, analysis, lane, time, sizes.close_up_spans);
  }
  out.marks = marks(analysis, checkpoints, time, sizes.marks);
}

}  // namespace

RunTime run_time(const run::Timeline& timeline, const Analysis& analysis) {
  return {analysis.start_ns, timeline.end ? timeline.end->t_ns : timeline.last_ns};
}

run::Charts charts(const run::Timeline& timeline, const Analysis& analysis,
                   const ChartSizes& sizes) {
  const RunTime time = run_time(timeline, analysis);
  run::Charts out;
  out.duration_s = time.duration_s();
  out.steps = step_bars(analysis, time, sizes.step_bars);
  out.step_lengths = step_lengths(analysis);
  add_spans(timeline, analysis, time, sizes, out);
  out.series = series_charts(timeline, time, sizes);
  out.roles = role_charts(timeline, time, sizes.role_points);
  out.processes = process_tree(timeline, time, sizes);
  out.facts = told_facts(timeline, analysis.pid);
  return out;
}

}  // namespace flatout::analyse
