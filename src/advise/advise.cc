#include "advise/advise.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/rule.h"

namespace flatout::advise {
namespace {

struct Rule {
  std::string_view finding;
  Answer (*answer)(const Question&);
  bool at_info = false;  // it speaks of a chance even where nothing is lost
};

constexpr std::array kRules = {
    Rule{"input_bound", answer_input_bound},
    Rule{"host_bound", answer_host_bound},
    Rule{"cpu_contention", answer_cpu_contention},
    Rule{"epoch_gap", answer_epoch_gap},
    Rule{"checkpoint_stall", answer_checkpoint_stall},
    Rule{"copy_bound", answer_copy_bound},
    Rule{"sync_bound", answer_sync_bound},
    Rule{"launch_bound", answer_launch_bound},
    Rule{"comm_bound", answer_comm_bound},
    Rule{"layout_transposes", answer_layout_transposes, true},
    Rule{"unfused_elementwise", answer_unfused_elementwise, true},
    Rule{"graph_candidate", answer_graph_candidate, true},
    Rule{"precision_unused", answer_precision_unused, true},
    Rule{"unfused_optimizer", answer_unfused_optimizer, true},
    Rule{"memory_headroom", answer_memory_headroom, true},
    Rule{"memory_pressure", answer_memory_pressure},
    Rule{"throttled", answer_throttled, true},
    Rule{"device_unused", answer_device_unused, true},
    Rule{"device_shared", answer_device_shared},
    Rule{"rank_imbalance", answer_rank_imbalance},
    Rule{"too_many_workers", answer_too_many_workers},
    Rule{"epoch_restart", answer_epoch_restart},
    Rule{"eval_share", answer_eval_share},
    Rule{"startup", answer_startup},
};

bool said_already(const std::vector<run::Advice>& said, const run::Advice& advice) {
  return !advice.to.empty() && std::ranges::any_of(said, [&advice](const run::Advice& before) {
    return before.knob == advice.knob && before.to == advice.to && before.at == advice.at;
  });
}

}  // namespace

void advise(run::Report& report, const run::Predictor& predictor) {
  std::vector<run::Advice> said;
  for (run::Finding& finding : report.findings) {
    finding.advice.clear();
    const auto* rule = std::ranges::find(kRules, finding.id, &Rule::finding);
    if (rule == kRules.end()) continue;
    if (finding.severity == run::Severity::kInfo && !rule->at_info) continue;
    for (run::Advice& advice : rule->answer({finding, report, predictor})) {
      if (said_already(said, advice)) continue;
      said.push_back(advice);
      finding.advice.push_back(std::move(advice));
    }
  }
}

}  // namespace flatout::advise
