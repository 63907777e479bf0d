#include <array>

#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr std::array kRules = {
    Rule{"input_bound", judge_input_bound},
    Rule{"host_bound", judge_host_bound},
    Rule{"cpu_contention", judge_cpu_contention},
    Rule{"epoch_gap", judge_epoch_gap},
    Rule{"checkpoint_stall", judge_checkpoint_stall},
    Rule{"compute_bound", judge_compute_bound},
    Rule{"copy_bound", judge_copy_bound, true},
    Rule{"sync_bound", judge_sync_bound, true},
    Rule{"launch_bound", judge_launch_bound, true},
    Rule{"comm_bound", judge_comm_bound, true},
    Rule{"layout_transposes", judge_layout_transposes, true},
    Rule{"unfused_elementwise", judge_unfused_elementwise, true},
    Rule{"graph_candidate", judge_graph_candidate},
    Rule{"precision_unused", judge_precision_unused, true},
    Rule{"unfused_optimizer", judge_unfused_optimizer},
    Rule{"memory_headroom", judge_memory_headroom},
    Rule{"memory_pressure", judge_memory_pressure},
    Rule{"throttled", judge_throttled},
    Rule{"device_unused", judge_device_unused},
    Rule{"device_shared", judge_device_shared},
    Rule{"rank_imbalance", judge_rank_imbalance, true},
    Rule{"too_many_workers", judge_too_many_workers},
    Rule{"epoch_restart", judge_epoch_restart},
    Rule{"eval_share", judge_eval_share},
    Rule{"startup", judge_startup, true},
};

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

}  // namespace flatout::analyse
