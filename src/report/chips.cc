#include "report/chips.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "report/fixes.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

constexpr double kRounding = 0.005;

// What the verdict's share is of, as its sentence has it.
std::string name_of(const run::Finding& finding) {
  if (finding.id == "input_bound") return "waiting for data";
  if (finding.id == "compute_bound") return "computing";
  std::string name = headline(finding.id);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c == '-' ? ' ' : base::lower(c); });
  return name;
}

void add_verdict(const run::Report& report, std::vector<Chip>& chips) {
  const run::Finding* finding = finding_of_verdict(report);
  if (finding == nullptr || !std::isfinite(finding->share)) return;
  chips.push_back({name_of(*finding), finding->share, format_percent(finding->share),
                   share_words(report, *finding).substr(1)});
}

// What holds the device up and its being busy share the step's time. compute_bound says itself how
// much it computes.
void add_busy(const run::Report& report, std::vector<Chip>& chips) {
  const auto& busy = report.steps->device_busy;
  if (!busy || !std::isfinite(*busy)) return;
  if (report.verdict.finding == "compute_bound") return;
  const run::Finding* finding = finding_of_verdict(report);
  if (finding != nullptr) {
    const bool of_step = speaks(*finding) && !finding->of_run;
    if (of_step && *busy + finding->share > 1 + kRounding) return;
  }
  chips.push_back({"device busy", *busy, format_percent(*busy)});
}

void add_first_fix(const run::Report& report, std::vector<Chip>& chips) {
  const std::vector<Fix> fixes = fixes_of(report);
  if (fixes.empty() || !speaks(*fixes.front().finding)) return;
  const auto [ratio, interval] = speedup_parts(gain_text(*fixes.front().advice));
  if (ratio.empty()) return;
  chips.push_back(
      {"first fix, predicted", fixes.front().advice->predicted->ratio, ratio, interval});
}

}  // namespace

const run::Finding* finding_of_verdict(const run::Report& report) {
  const auto found = std::ranges::find_if(report.findings, [&](const run::Finding& finding) {
    return finding.id == report.verdict.finding && finding.cause == report.verdict.cause;
  });
  return found == report.findings.end() || report.failure ? nullptr : &*found;
}

std::vector<Chip> chips_of(const run::Report& report) {
  std::vector<Chip> chips;
  if (!report.steps) return chips;
  const run::StepsReport& steps = *report.steps;
  if (steps.median_ms) {
    chips.push_back({"step, median", *steps.median_ms, format_ms(*steps.median_ms),
                     steps.p95_ms ? "p95 " + format_ms(*steps.p95_ms) : ""});
  }
  if (steps.samples_per_s) {
    chips.push_back({"samples a second", *steps.samples_per_s, format_number(*steps.samples_per_s),
                     steps.batch_size ? "batch " + format_number(*steps.batch_size) : ""});
  }
  add_verdict(report, chips);
  if (!report.failure) {
    add_busy(report, chips);
    add_first_fix(report, chips);
  }
  return chips;
}

}  // namespace flatout::report
