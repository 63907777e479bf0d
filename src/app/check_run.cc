#include "app/check_run.h"

#include <utility>
#include <vector>

#include "analyse/compare/worsening.h"
#include "analyse/rule_switch.h"
#include "app/compare_runs.h"
#include "check/budget.h"
#include "check/judge.h"

namespace flatout::app {
namespace {

check::Subject subject_of(const MeasuredRun& run) {
  check::Subject subject{&run.report, analyse::p99_ms(run.analysis), {}};
  for (const run::ValueReport& value : run.report.values) subject.values[value.name] = value.last;
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
