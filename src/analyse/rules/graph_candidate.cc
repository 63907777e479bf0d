// graph_candidate: the steps repeat the same launches, so that a CUDA graph could make them with
// one call.
//
// Only with a kernel trace that has steps, and always information: that the launches come late is
// what launch_bound says, this says that a graph would help, and what it gains at most. Raised
// where
//   - 3 of 4 steps, and 3 or more, launch the same kernels in the same order
//     (kernels/repeated_launches.h), 10 or more of them;
//   - the host neither waits nor copies between the kernels of most of these;
//   - not half of the kernels come from graphs already;
//   - half of the kernels or more are shorter than 10 us, about what a launch takes the host;
//   - the device idles for late launches 10 % of its window or more, from where on the other
//     findings speak of lost time (TraceML).
// At stake is that idle time. A graph of n kernels still takes the host some microseconds to
// launch, and its kernels follow each other by about one: so "at most".
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr double kLaunchIdleWorthSaying = 0.10;
constexpr double kMostAlike = 0.75;
constexpr std::int64_t kLeastAlike = 3;
constexpr std::int64_t kLeastKernels = 10;
constexpr double kHalfOfThem = 0.5;

bool can_be_captured(const run::RepeatedLaunchesReport& repeated) {
  const auto of = [](std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  return repeated.repeated >= kLeastAlike && repeated.kernels >= kLeastKernels &&
         of(repeated.repeated, repeated.steps) >= kMostAlike &&
         of(repeated.with_wait, repeated.repeated) < kHalfOfThem &&
         repeated.in_graphs_share < kHalfOfThem;
}

}  // namespace

std::optional<run::Finding> judge_graph_candidate(const Analysis& analysis) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr || !trace->idle_account || !trace->patterns.repeated) return std::nullopt;
  const run::RepeatedLaunchesReport& repeated = *trace->patterns.repeated;
  const double share = (*trace->idle_account)[run::IdleCause::kLaunch];
  if (share < kLaunchIdleWorthSaying || !can_be_captured(repeated)) return std::nullopt;
  if (trace->kernels.short_share.value_or(0) < kHalfOfThem) return std::nullopt;
  run::Finding finding = traced_finding("graph_candidate", share,
                                        {.warn = kLaunchIdleWorthSaying, .critical = 1}, *trace);
  finding.severity = run::Severity::kInfo;
  finding.summary = std::to_string(repeated.repeated) + " of " + std::to_string(repeated.steps) +
                    " steps launch the same " + std::to_string(repeated.kernels) +
                    " kernels in the same order, and the GPU idles " + percent(share) +
                    " of the time for these launches.";
  add_ratio(finding, "device.kernels.short_share", *trace->kernels.short_share);
  return finding;
}

}  // namespace flatout::analyse
