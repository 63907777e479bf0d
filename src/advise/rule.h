// What the files of this folder share: one function a finding, and the ways to
// make an Advice. Internal to advise/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/knob_ids.h"
#include "run/predictor.h"
#include "run/report.h"

namespace flatout::advise {

// Predicted gains below it are not worth an edit.
constexpr double kMinGain = 1.01;

// The finding that asks, and what is known of its run.
struct Question {
  const run::Finding& finding;
  const run::Report& report;
  const run::Predictor& predictor;
};
using Answer = std::vector<run::Advice>;

Answer answer_input_bound(const Question& question);
Answer answer_host_bound(const Question& question);
Answer answer_cpu_contention(const Question& question);
Answer answer_epoch_gap(const Question& question);
Answer answer_checkpoint_stall(const Question& question);
Answer answer_copy_bound(const Question& question);
Answer answer_sync_bound(const Question& question);
Answer answer_comm_bound(const Question& question);
Answer answer_launch_bound(const Question& question);
Answer answer_layout_transposes(const Question& question);
Answer answer_unfused_elementwise(const Question& question);
Answer answer_graph_candidate(const Question& question);
Answer answer_precision_unused(const Question& question);
Answer answer_unfused_optimizer(const Question& question);
Answer answer_memory_headroom(const Question& question);
Answer answer_memory_pressure(const Question& question);
Answer answer_throttled(const Question& question);
Answer answer_device_unused(const Question& question);
Answer answer_device_shared(const Question& question);
Answer answer_rank_imbalance(const Question& question);
Answer answer_too_many_workers(const Question& question);
Answer answer_epoch_restart(const Question& question);
Answer answer_eval_share(const Question& question);
Answer answer_startup(const Question& question);

// An argument of torch's DataLoader, the id of the advice to change it, and the argument of
// transformers.TrainingArguments that stands for it; "" = none.
struct LoaderArgument {
  std::string_view knob, keyword, hugging_face;
};
constexpr LoaderArgument kNumWorkers = {run::knob_id::kDataloaderNumWorkers, "num_workers",
                                        "dataloader_num_workers"};
constexpr LoaderArgument kPrefetchFactor = {run::knob_id::kDataloaderPrefetchFactor,
                                            "prefetch_factor", "dataloader_prefetch_factor"};
constexpr LoaderArgument kPersistentWorkers = {run::knob_id::kDataloaderPersistentWorkers,
                                               "persistent_workers",
                                               "dataloader_persistent_workers"};
constexpr LoaderArgument kPinMemory = {run::knob_id::kDataloaderPinMemory, "pin_memory",
                                       "dataloader_pin_memory"};
constexpr LoaderArgument kEngine = {run::knob_id::kDataloaderEngine, "engine", ""};
constexpr LoaderArgument kLoaderBatchSize = {"dataloader.batch_size", "batch_size",
                                             "per_device_train_batch_size"};

// A change of one argument of the training DataLoader: how and at follow from it, and from what
// calls DataLoader. With the line as it is printed the program must go on: `tests/cli` applies
// each.
run::Advice loader_argument(const run::LoaderReport& loader, const LoaderArgument& argument,
                            const std::string& from, const std::string& to);

// Work to be done by hand, without a knob that can be set: no from, no to.
run::Advice by_hand(std::string knob, std::string how, std::string at);

// Sets what going without `share` of the step gains at most, and says so in `how`; where the run
// has too few steps to tell, `how` says that.
void predict_bound(const Question& question, double share, run::Advice& advice);

// By what begins of epochs were measured to cost; else as predict_bound().
void predict_persistent_workers(const Question& question, double share, run::Advice& advice);

// "6 steps are too few"; "" where there are enough to predict from.
std::string too_few_steps(const run::Report& report);

// Whether the report has this finding, as a warning at least where `speaks`.
bool has_finding(const run::Report& report, std::string_view id, bool speaks = false);

// False when the prediction is there and below kMinGain.
bool worth_it(const std::optional<run::Speedup>& predicted);

}  // namespace flatout::advise
