// startup: the time before the first step is much of the run.
//
// Start-up is paid once, so a short run says little of a long one: 20 % of the run and a minute are
// a warning, 20 % and ten seconds information; never more than a warning. Where the run did not end
// by itself (still running, --stop-after, failed, killed) its whole length is not known:
// information. `share` is of the run's time. What half of it or more went to is said.
#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr double kMuch = 0.20;
constexpr double kWorthSayingSeconds = 10;
constexpr double kLongSeconds = 60;
constexpr double kMost = 0.5;  // of the start-up

run::StartupPart most_of(const Analysis& analysis) {
  const double half_s = kMost * analysis.account.startup_s;
  if (analysis.startup.import_s.value_or(0) >= half_s) return run::StartupPart::kImports;
  return analysis.startup.passes_s >= half_s ? run::StartupPart::kPasses : run::StartupPart::kNone;
}

std::string mostly(const Analysis& analysis) {
  switch (most_of(analysis)) {
    case run::StartupPart::kImports:
      return "; " + seconds_text(*analysis.startup.import_s) + " of it are imports";
    case run::StartupPart::kPasses:
      return "; " + seconds_text(analysis.startup.passes_s) +
             " of it are forward passes and their batches";
    case run::StartupPart::kNone:
      break;
  }
  return "";
}

void add_part(run::Finding& finding, const char* metric, double seconds, double startup_s) {
  finding.evidence.push_back({.metric = metric,
                              .value = seconds,
                              .unit = "s",
                              .threshold = kMost * startup_s,
                              .start_s = {},
                              .end_s = {}});
}

// A trace of a start: what its device idled while memory was taken and modules were loaded.
std::optional<run::Finding> startup_by_trace(const run::KernelTraceReport& trace) {
  if (!trace.idle_account || (*trace.idle_account)[run::IdleCause::kStartup] < kMuch)
    return std::nullopt;
  const double share = (*trace.idle_account)[run::IdleCause::kStartup];
  run::Finding finding = traced_finding("startup", share, {.warn = kMuch, .critical = 2}, trace);
  finding.summary = "the GPU idles " + percent(share) +
                    " of the time while the host takes memory, loads modules and makes contexts.";
  return finding;
}

}  // namespace

std::optional<run::Finding> judge_startup(const Analysis& analysis) {
  // Of a run the hooks know when the first step began.
  if (const auto* trace = analysis.kernel_trace(); trace != nullptr && !trace->of_steps) {
    return startup_by_trace(*trace);
  }
  const run::RunAccount& account = analysis.account;
  if (account.total_s <= 0 || account.startup_s < kWorthSayingSeconds) return std::nullopt;
  const double share = account.startup_s / account.total_s;
  if (share < kMuch) return std::nullopt;
  run::Finding finding;
  finding.id = "startup";
  const bool loud = account.startup_s >= kLongSeconds && analysis.ended_by_itself;
  finding.severity = loud ? run::Severity::kWarn : run::Severity::kInfo;
  finding.share = share;
  finding.of_run = true;
  finding.detail = run::StartupDetail{.mostly = most_of(analysis),
                                      .imports_timed = analysis.startup.import_s.has_value()};
  finding.tier = "phases";
  finding.confidence = 0.95;
  finding.summary = "the first step begins " + seconds_text(account.startup_s) +
                    " after the start of the run, which is " + percent(share) + " of its time" +
                    mostly(analysis) + ".";
  finding.evidence = {{.metric = "account.startup_share",
                       .value = share,
                       .unit = "ratio",
                       .threshold = kMuch,
                       .start_s = 0,
                       .end_s = account.startup_s},
                      {.metric = "account.startup_s",
                       .value = account.startup_s,
                       .unit = "s",
                       .threshold = loud ? kLongSeconds : kWorthSayingSeconds,
                       .start_s = {},
                       .end_s = {}}};
  if (analysis.startup.import_s) {
    add_part(finding, "startup.import_s", *analysis.startup.import_s, account.startup_s);
  }
  if (analysis.startup.passes_s > 0) {
    add_part(finding, "startup.passes_s", analysis.startup.passes_s, account.startup_s);
  }
  return finding;
}

}  // namespace flatout::analyse
