// What the tests of advice share: reports written by hand, with a predictor that is a formula.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/advise.h"
#include "run/report.h"

namespace flatout::advise {

using run::Advice;
using run::Finding;
using run::LoaderSetting;
using run::Report;
using run::Speedup;

class FormulaPredictor final : public run::Predictor {
 public:
  using Formula = std::function<std::optional<double>(const LoaderSetting&)>;
  explicit FormulaPredictor(Formula formula) : formula_(std::move(formula)) {}
  std::optional<Speedup> loader(const LoaderSetting& to) const override {
    const auto ratio = formula_(to);
    if (!ratio) return std::nullopt;
    return Speedup{.ratio = *ratio, .lo = *ratio * 0.9, .hi = *ratio * 1.1};
  }
  std::optional<Speedup> remove_share(double share) const override {
    if (!(share >= 0) || !(share < 1)) return std::nullopt;
    return Speedup{.ratio = 1 / (1 - share), .lo = 1, .hi = 1 / (1 - share)};
  }

 private:
  Formula formula_;
};

// Throughput of W workers that each take `fetch` for a step of `compute`.
inline FormulaPredictor pool(double fetch, double compute, int present = 0, int useful = 1000) {
  const auto step = [=](int workers) {
    return workers == 0 ? fetch + compute
                        : std::max(compute, fetch / std::min(workers, useful)) + 0.1;
  };
  return FormulaPredictor(
      [=](const LoaderSetting& to) { return step(present) / step(to.workers); });
}

inline FormulaPredictor silent() {
  return FormulaPredictor([](const LoaderSetting&) { return std::nullopt; });
}

inline Report report_with(const std::string& id, double share,
                          run::Cause cause = run::Cause::kNone) {
  Report report;
  report.host.cpus = 2;
  report.steps.emplace();
  report.steps->steady_count = 100;
  report.steps->phases = {{"data_wait", share}, {"forward", 1 - share}};
  report.loader.emplace();
  report.loader->built_at = "train.py:41";
  report.loader->sample_cpu_share = 0.02;
  Finding finding;
  finding.id = id;
  finding.cause = cause;
  finding.severity = run::Severity::kCritical;
  finding.share = share;
  report.findings.push_back(finding);
  return report;
}

inline std::vector<Advice> ask(Report report, const run::Predictor& predictor) {
  advise(report, predictor);
  return report.findings.front().advice;
}

}  // namespace flatout::advise
