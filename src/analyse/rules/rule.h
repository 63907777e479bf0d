// A rule: a pure function from measured facts to at most one finding. One
// file, one id, one page under docs/findings/, one off switch (the id in
// AnalyseOptions::rules_off). A rule must not raise anything above info for a
// healthy program. To add one: write the file, list it in rules.cc, write its
// page and a row in rules_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analyse/analysis.h"
#include "run/report.h"

namespace flatout::analyse {

struct Rule {
  std::string_view id;  // of its finding
  std::optional<run::Finding> (*judge)(const Analysis&);
  bool without_steps = false;  // it judges a kernel trace that marks none, too
};

std::span<const Rule> all_rules();

std::optional<run::Finding> judge_input_bound(const Analysis& analysis);
std::optional<run::Finding> judge_host_bound(const Analysis& analysis);
std::optional<run::Finding> judge_cpu_contention(const Analysis& analysis);
std::optional<run::Finding> judge_epoch_gap(const Analysis& analysis);
std::optional<run::Finding> judge_checkpoint_stall(const Analysis& analysis);
std::optional<run::Finding> judge_compute_bound(const Analysis& analysis);
std::optional<run::Finding> judge_copy_bound(const Analysis& analysis);
std::optional<run::Finding> judge_sync_bound(const Analysis& analysis);
std::optional<run::Finding> judge_launch_bound(const Analysis& analysis);
std::optional<run::Finding> judge_comm_bound(const Analysis& analysis);
std::optional<run::Finding> judge_layout_transposes(const Analysis& analysis);
std::optional<run::Finding> judge_unfused_elementwise(const Analysis& analysis);
std::optional<run::Finding> judge_graph_candidate(const Analysis& analysis);
std::optional<run::Finding> judge_precision_unused(const Analysis& analysis);
std::optional<run::Finding> judge_unfused_optimizer(const Analysis& analysis);
std::optional<run::Finding> judge_memory_headroom(const Analysis& analysis);
std::optional<run::Finding> judge_memory_pressure(const Analysis& analysis);
std::optional<run::Finding> judge_throttled(const Analysis& analysis);
std::optional<run::Finding> judge_device_unused(const Analysis& analysis);
std::optional<run::Finding> judge_device_shared(const Analysis& analysis);
std::optional<run::Finding> judge_rank_imbalance(const Analysis& analysis);
std::optional<run::Finding> judge_too_many_workers(const Analysis& analysis);
std::optional<run::Finding> judge_eval_share(const Analysis& analysis);
std::optional<run::Finding> judge_startup(const Analysis& analysis);
std::optional<run::Finding> judge_epoch_restart(const Analysis& analysis);

}  // namespace flatout::analyse
