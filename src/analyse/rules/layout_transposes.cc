// layout_transposes: the device moves tensors from one layout into another and computes nothing.
//
// Only with a kernel trace. Two kinds of kernels do nothing else, known by their names:
//   convolution_layout  what cuDNN, cuBLAS and MIOpen run around their own kernels because these
//                       want channels innermost (nchwToNhwcKernel and its kin). A model that is in
//                       that layout needs none of them.
//   strided_copies      PyTorch's copies of tensors whose strides are not those of their shape:
//                       permute().contiguous(), expand(), slices.
// The cause is the kind with more time. At stake is their share of the kernels' time, of the part
// of the window in which the device computes; where the device is not busy for 80 % of it,
// something else is in the way first: the finding is information, and its share 0.
//
// Thresholds, share of the kernels' time: 10 % warn, 20 % critical, as for the other shares of lost
// time (TraceML: 10 / 20 %). From 5 % on it is information: on an H200, ResNet-50 in float32 and
// NCHW spends 11 % of its kernels' time so.
#include "analyse/rules/rule.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kLayoutThresholds = {.warn = 0.10, .critical = 0.20};
constexpr double kLayoutWorthSaying = 0.05;

}  // namespace

std::optional<run::Finding> judge_layout_transposes(const Analysis& analysis) {
  const run::KernelTraceReport* trace = analysis.kernel_trace();
  if (trace == nullptr) return std::nullopt;
  const double library = trace->patterns.layout_share;
  const double copies = trace->patterns.strided_copy_share;
  const double of_kernels = library + copies;
  if (of_kernels < kLayoutWorthSaying) return std::nullopt;
  run::Finding finding =
      kernel_time_finding("layout_transposes", of_kernels, kLayoutThresholds, *trace);
  if (!keeps_gpu_busy(analysis)) nothing_at_stake(finding);
  const bool convolutions = library >= copies;
  finding.cause = convolutions ? run::Cause::kConvolutionLayout : run::Cause::kStridedCopies;
  finding.summary = percent(of_kernels) +
                    " of the kernels' time goes into changing the layout of tensors" +
                    (convolutions ? ", because the library's kernels want their channels innermost."
                                  : ": copies of permuted, expanded or sliced tensors.");
  add_ratio(finding, "device.kernels.layout_share", library);
  add_ratio(finding, "device.kernels.strided_copy_share", copies);
  return finding;
}

}  // namespace flatout::analyse
