#include <algorithm>
#include <utility>

#include "apply/knobs/knob.h"

namespace flatout::apply {

const std::vector<const Knob*>& all_knobs() {
  static const std::vector<const Knob*> knobs = {
      &dataloader_engine(),
      &dataloader_cache(),
      &dataloader_num_workers(),
      &dataloader_prefetch_factor(),
      &dataloader_persistent_workers(),
      &dataloader_pin_memory(),
      &env_intraop_threads(),
      &cuda_cudnn_benchmark(),
      &precision_tf32(),
      &optimizer_fused(),
      &precision_bf16(),
      &precision_fp16(),
      &layout_channels_last(),
      &compile_mode(),
      &alloc_expandable_segments(),
      &dataloader_non_blocking(),
      &attention_sdpa(),
      &kernels_liger(),
      &kernels_hf(),
      &batch_size(),
      &batch_accumulate(),
  };
  return knobs;
}

const Knob* find_knob(std::string_view id) {
  const auto found = std::ranges::find(all_knobs(), id, &Knob::id);
  return found == all_knobs().end() ? nullptr : *found;
}

Proposal proposed_by_advice(const run::Report& report, std::string_view knob) {
  for (const auto& finding : report.findings) {
    for (const auto& advice : finding.advice) {
      if (advice.knob != knob || advice.to.empty()) continue;
      return {.candidates = {{.value = advice.to,
                              .from = advice.from,
                              .predicted = advice.predicted,
                              .confidence = finding.confidence}}};
    }
  }
  return {.why_not = "no finding asks for it"};
}

bool on_cuda(const run::Report& report) {
  return std::ranges::any_of(report.devices, [](const run::DeviceReport& device) {
    return device.kind == "cuda" && device.used.value_or(true);
  });
}

bool has_finding(const run::Report& report, std::string_view id) {
  return std::ranges::any_of(report.findings,
                             [&](const run::Finding& finding) { return finding.id == id; });
}

Proposal proposed_for_finding(const run::Report& report, std::string_view id, std::string value,
                              std::string from) {
  const auto found = std::ranges::find(report.findings, id, &run::Finding::id);
  const double confidence = found == report.findings.end() ? 0 : found->confidence;
  return {.candidates = {{.value = std::move(value),
                          .from = std::move(from),
                          .predicted = std::nullopt,
                          .confidence = confidence}}};
}

Proposal proposed_for_fused_layers(const Situation& now) {
  const auto& model = now.report.model;
  if (!on_cuda(now.report)) return {.why_not = "there is no CUDA device", .impossible = true};
  if (!model || model->attention.empty()) {
    return {.why_not = "the model is none of transformers'", .impossible = true};
  }
  if (!has_finding(now.report, "compute_bound")) {
    return {.why_not = "the steps do more than compute"};
  }
  return proposed_for_finding(now.report, "compute_bound", "true", "false");
}

ByHand loader_argument(std::string_view argument, const std::string& value) {
  const std::string change = std::string(argument) + "=" + run::python_literal(value);
  return {
      .script = "DataLoader(..., " + change + ")", .hf = "dataloader_" + change, .lightning = ""};
}

}  // namespace flatout::apply
