// precision_unused: the device has tensor cores, and the model's arithmetic in
// float32 keeps off them.
//
// Only where the GPU is what the step waits for (busy 80 % or more), the model
// is float32 by nine parameters of ten, autocast is off, matrix products may
// not use TF32, and the device has tensor cores for it (compute capability 8.0:
// TF32 and bfloat16; PyTorch's profiler plug-in recommended AMP from 7.0 on).
//
// Information where only settings say so: nobody knows what float32 costs this
// model. A warning where GPM saw the tensor cores busy for less than 10 % of
// the time (xprof recommends lower precision below 10 % of 16-bit work) while
// the SMs were busy for half of it or more, or where a kernel trace holds such kernels for less
// than 10 % of the kernels' time and products of matrices for 20 % of the window or more;
// information, too, where the device is not busy 80 % of the time. At stake is then what the steps
// compute; how much of it would go, nobody can say, so nothing is predicted.
#include <algorithm>
#include <charconv>

#include "analyse/facts.h"
#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr double kFloat32 = 0.9;
constexpr int kLeastCapability = 8;
constexpr int kFirstTensorCores = 7;  // float16 alone, up to kLeastCapability
constexpr double kTensorIdle = 0.10;
constexpr double kProducts = 0.20;  // of a trace's window: that a change would be felt
constexpr double kSmBusy = 0.5;
constexpr double kByFactsAlone = 0.7;

bool has_tensor_cores(const DeviceStats& stats) {
  if (stats.vendor == "amd" || !stats.capability) return false;
  int major = 0;
  const std::string& text = *stats.capability;
  std::from_chars(text.data(), text.data() + text.size(), major);
  return major >= kLeastCapability;
}

bool computes_in_float32(const Analysis& analysis) {
  if (!analysis.precision || !analysis.model) return false;
  const run::PrecisionFact& precision = *analysis.precision;
  return precision.autocast == "off" && !precision.tf32_matmul.value_or(true) &&
         precision.matmul_precision != "high" && precision.matmul_precision != "medium" &&
         float32_share(*analysis.model) >= kFloat32;
}

// Kernels that multiply matrices, and none of those of tensor cores among them.
std::optional<run::Finding> precision_unused_by_trace(const Analysis& analysis,
                                                      const run::KernelTraceReport& trace) {
  const run::KernelsReport& kernels = trace.kernels;
  if (!kernels.could_use_share || !kernels.tensor_core_share) return std::nullopt;
  const double share = trace.compute * *kernels.could_use_share;
  if (*kernels.tensor_core_share >= kTensorIdle || share < kProducts) return std::nullopt;
  if (trace.capability_major && *trace.capability_major < kFirstTensorCores) return std::nullopt;
  run::Finding finding =
      traced_finding("precision_unused", share, {.warn = kProducts, .critical = 2}, trace);
  if (trace.capability_major && *trace.capability_major < kLeastCapability)
    finding.cause = run::Cause::kFloat16Only;
  // Of a run the share is no loss that could be held against others: what it would gain, the
  // counters say where there are some.
  if (trace.of_steps || !keeps_gpu_busy(analysis)) finding.severity = run::Severity::kInfo;
  finding.summary = "matrix products and convolutions take " + percent(*kernels.could_use_share) +
                    " of the kernels' time, and kernels of tensor cores " +
                    percent(*kernels.tensor_core_share) + ".";
  add_ratio(finding, "device.kernels.tensor_core_share", *kernels.tensor_core_share);
  add_roof(finding, trace, "gemm");
  add_roof(finding, trace, "convolution");
  return finding;
}

std::optional<run::Finding> precision_unused_by_counters(const Analysis& analysis) {
  const DeviceStats* stats = analysis.device();
  if (stats == nullptr || !keeps_gpu_busy(analysis)) return std::nullopt;
  if (!has_tensor_cores(*stats) || !computes_in_float32(analysis)) return std::nullopt;
  const bool measured = stats->activity.tensor && stats->activity.sm;
  if (measured && *stats->activity.tensor >= kTensorIdle) return std::nullopt;
  const bool loud = measured && *stats->activity.sm >= kSmBusy;
  run::Finding finding;
  finding.id = "precision_unused";
  finding.severity = loud ? run::Severity::kWarn : run::Severity::kInfo;
  finding.share = loud ? std::min(1.0, analysis.device_busy()->share) : 0;
  finding.confidence = (loud ? 1 : kByFactsAlone) * confidence_of(analysis, 1, 0);
  finding.tier = loud ? "gpm" : "facts";
  finding.summary = "the model computes in float32";
  if (loud) {
    finding.summary += ", so the GPU's tensor cores are busy " + percent(*stats->activity.tensor) +
                       " of the time while it computes " + percent(finding.share) + " of each step";
  } else {
    finding.summary += " without TF32 or autocast; the GPU has faster cores for less precision";
  }
  finding.summary += ".";
  finding.evidence = {
      steady_evidence(analysis, "model.float32_share", float32_share(*analysis.model), "ratio")};
  finding.evidence.back().threshold = kFloat32;
  if (measured) {
    finding.evidence.push_back(
        share_evidence(analysis, "device.gpm.tensor", *stats->activity.tensor, kTensorIdle));
    finding.evidence.push_back(
        share_evidence(analysis, "device.gpm.sm", *stats->activity.sm, kSmBusy));
  }
  add_device_busy(analysis, finding);
  return finding;
}

}  // namespace

std::optional<run::Finding> judge_precision_unused(const Analysis& analysis) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr) return precision_unused_by_counters(analysis);
  auto by_trace = precision_unused_by_trace(analysis, *trace);
  if (!trace->of_steps) return by_trace;
  auto by_counters = precision_unused_by_counters(analysis);
  const bool loud = by_counters && by_counters->severity != run::Severity::kInfo;
  return by_trace && !loud ? by_trace : by_counters;
}

}  // namespace flatout::analyse
