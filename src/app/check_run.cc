#include "app/check_run.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/compare/worsening.h"
#include "analyse/rule_switch.h"
#include "analyse/tracked/tracked_runs.h"
#include "app/compare_runs.h"
#include "check/budget.h"
#include "check/judge.h"

namespace flatout::app {
namespace {

using Values = std::map<std::string, std::optional<double>>;

// Numbers of a JSON object by their names, of nested ones dotted.
void add_numbers(const nlohmann::json& from, const std::string& prefix, int depth, Values& to) {
  constexpr int kDeepest = 32;
  if (!from.is_object() || depth > kDeepest) return;
  for (const auto& [key, value] : from.items()) {
    if (value.is_number()) to[prefix + key] = value.get<double>();
    if (value.is_object()) add_numbers(value, prefix + key + ".", depth + 1, to);
  }
}

check::Subject subject_of(const MeasuredRun& run) {
  check::Subject subject{&run.report, analyse::p99_ms(run.analysis), {}};
  for (const run::ValueReport& value : run.report.values) subject.values[value.name] = value.last;
  // What a tracker sums up: summary["best"] of the script, "loss.min" by define_metric.
  for (const run::TrackedRun& tracked : analyse::tracked_runs(run.timeline)) {
    const auto summary =
        nlohmann::json::parse(tracked.summary, nullptr, /*allow_exceptions=*/false);
    add_numbers(summary, "", 0, subject.values);
  }
  return subject;
}

}  // namespace

base::Result<run::CheckReport> check_run(const CheckRequest& request) {
  const auto budget = check::read_budget(request.budget, analyse::rule_ids());
  if (!budget) return std::unexpected(budget.error());
  std::vector<std::string> references;
  if (!request.baseline.empty()) references.push_back(request.baseline);
  references.push_back(request.run);
  const auto runs = measured_runs(request.home, references, request.rules_off);
  if (!runs) return std::unexpected(runs.error());
  const MeasuredRun& run = runs->back();
  std::optional<check::Against> against;
  const run::Comparison compared = compare(*runs);  // of one run: its head alone
  if (runs->size() > 1) {
    against = check::Against{
        analyse::worsenings(runs->front().analysis, run.analysis, check::figures_of(*budget)),
        compared.others.front().cautions};
  }
  run::CheckReport out = check::judge(*budget, subject_of(run), against);
  out.run = against ? compared.others.front().run : compared.baseline;
  if (against) out.baseline = compared.baseline;
  if (against) out.block_steps = compared.others.front().block_steps;
  out.command = run.report.run.command;
  out.budget = request.budget;
  return out;
}

}  // namespace flatout::app
