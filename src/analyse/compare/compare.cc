#include "analyse/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyse/compare/cautions.h"
#include "analyse/compare/figures.h"
#include "analyse/compare/load.h"
#include "analyse/compare/speedup.h"
#include "analyse/compare/stated.h"
#include "analyse/compare/trace_changes.h"

namespace flatout::analyse {
namespace {

run::ComparedRun head_of(const run::Report& report) {
  run::ComparedRun head;
  head.id = report.run.id;
  head.name = report.run.name;
  head.host = report.run.host;
  head.state = report.state;
  head.started_wall_ns = report.run.started_wall_ns;
  head.duration_s = report.duration_s;
  if (report.steps) {
    head.steps = report.steps->count;
    head.steady_steps = report.steps->steady_count;
  }
  head.verdict = report.verdict;
  head.notes = report.notes;
  return head;
}

std::vector<double> steady_ms(const Analysis& analysis) {
  std::vector<double> lengths;
  for (const Step& step : analysis.steady()) {
    lengths.push_back(static_cast<double>(step.own_ns) / 1e6);
  }
  return lengths;
}

int turn_of(const Analysis& analysis) {
  return analysis.loader ? analysis.loader->num_workers.value_or(1) : 1;
}

std::string too_few(const run::ComparedRun& run) {
  if (run.steps == 0) return run.id + " has no steps";
  return run.id + " has " + std::to_string(run.steady_steps) + " steady steps, fewer than " +
         std::to_string(kFewestSteps);
}

// Time between epochs over the time of the steps among which it lies.
double gaps_over_steps(const Analysis& analysis) {
  if (analysis.steady_own_ns <= 0) return 0;
  return static_cast<double>(analysis.steady_epoch_gap_ns) /
         static_cast<double>(analysis.steady_own_ns);
}

// One gap among few steps says little of how often it comes.
std::optional<double> by_clock(const run::Speedup& speedup, const Analysis& before,
                               const Analysis& after) {
  constexpr int kFewestGaps = 2;
  if (std::max(before.steady_epoch_gaps, after.steady_epoch_gaps) < kFewestGaps) {
    return std::nullopt;
  }
  return speedup.ratio * (1 + gaps_over_steps(before)) / (1 + gaps_over_steps(after));
}

void add_speedup(const Analysed& before, const Analysed& after, const run::ComparedRun& baseline,
                 run::Contrast& contrast) {
  const std::vector<double> before_ms = steady_ms(*before.analysis);
  const std::vector<double> after_ms = steady_ms(*after.analysis);
  StepCosts first{before_ms, std::nullopt, turn_of(*before.analysis)};
  StepCosts second{after_ms, std::nullopt, turn_of(*after.analysis)};
  if (other_batch_size(*before.report, *after.report)) {
    first.samples_per_step = before.analysis->samples_per_step;
    second.samples_per_step = after.analysis->samples_per_step;
    contrast.of_samples = true;
  }
  contrast.speedup = measured_speedup(first, second);
  if (contrast.speedup) {
    const double first_lost = lost_to_others(*before.report);
    const double second_lost = lost_to_others(*after.report);
    contrast.loaded = first_lost > 0 || second_lost > 0;
    contrast.shown = excludes_one(without_waits(*contrast.speedup, first_lost, second_lost));
    contrast.by_clock = by_clock(*contrast.speedup, *before.analysis, *after.analysis);
    contrast.block_steps = block_steps(after_ms.size(), second.turn);
    return;
  }
  contrast.of_samples = false;
  const bool first_lacks = before_ms.size() < kFewestSteps;
  const bool second_lacks = after_ms.size() < kFewestSteps;
  if (first_lacks) contrast.no_speedup = too_few(baseline);
  if (first_lacks && second_lacks && baseline.id != contrast.run.id) contrast.no_speedup += "; ";
  if (second_lacks && (!first_lacks || baseline.id != contrast.run.id)) {
    contrast.no_speedup += too_few(contrast.run);
  }
  if (!first_lacks && !second_lacks) contrast.no_speedup = "the steps took no time";
}

std::vector<run::FactChange> changes(const Stated& before, const Stated& after) {
  std::vector<run::FactChange> out;
  for (const auto& [key, value] : before) {
    const auto other = after.find(key);
    if (other == after.end()) {
      out.push_back({key, value, ""});
    } else if (other->second != value) {
      out.push_back({key, value, other->second});
    }
  }
  for (const auto& [key, value] : after) {
    if (!before.contains(key)) out.push_back({key, "", value});
  }
  std::ranges::sort(out, {}, &run::FactChange::key);
  return out;
}

run::Contrast contrast_of(const Analysed& before, const Analysed& after,
                          const run::ComparedRun& baseline) {
  run::Contrast contrast;
  contrast.run = head_of(*after.report);
  add_speedup(before, after, baseline, contrast);
  contrast.figures = figures(*before.report, *after.report);
  contrast.phases = phase_changes(*before.report, *after.report);
  contrast.trace = trace_changes(before, after);
  contrast.findings = finding_changes(*before.report, *after.report);
  contrast.config = changes(config_of(*before.timeline, *before.analysis),
                            config_of(*after.timeline, *after.analysis));
  contrast.environment = changes(environment_of(*before.timeline, *before.analysis),
                                 environment_of(*after.timeline, *after.analysis));
  contrast.cautions = cautions(*before.report, *after.report, contrast);
  return contrast;
}

}  // namespace

run::Comparison compare(std::span<const Analysed> runs) {
  run::Comparison comparison;
  if (runs.empty()) return comparison;
  comparison.baseline = head_of(*runs.front().report);
  comparison.rules_off = runs.front().report->rules_off;
  for (const Analysed& other : runs.subspan(1)) {
    comparison.others.push_back(contrast_of(runs.front(), other, comparison.baseline));
  }
  return comparison;
}

}  // namespace flatout::analyse
