// env.intraop_threads: threads over which PyTorch splits one operator. Sums are
// split differently, so results round differently.
#include <algorithm>

#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

Proposal propose_intraop_threads(const Situation& now) {
  Proposal advised = proposed_by_advice(now.report, "torch.num_threads");
  if (!advised.candidates.empty()) return advised;
  const auto& host = now.report.host;
  if (!host.intraop_threads || host.cpus <= 0) {
    return {.why_not = "how many threads there are is not known"};
  }
  const int workers = now.report.loader ? now.report.loader->workers : 0;
  const int left = std::max(1, host.cpus - workers);
  if (workers == 0 || *host.intraop_threads <= left) {
    return {.why_not = "threads and workers fit on the cores"};
  }
  return {.candidates = {{.value = std::to_string(left),
                          .from = std::to_string(*host.intraop_threads),
                          .predicted = std::nullopt,
                          .confidence = 0.3}}};
}

std::string present_intraop_threads(const run::Report& report) {
  const auto& threads = report.host.intraop_threads;
  return threads ? std::to_string(*threads) : "";
}

}  // namespace

const Knob& env_intraop_threads() {
  static const Knob knob =
      declared(run::knob_id::kEnvIntraopThreads,
               {.propose = propose_intraop_threads, .present = present_intraop_threads});
  return knob;
}

}  // namespace flatout::apply
