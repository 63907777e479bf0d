#include "cudnn/plan.h"

#include <algorithm>
#include <iterator>

#include "core/cost.h"
#include "cudnn/kernel_name.h"

namespace simgpu::cudnn {
namespace {

std::uint32_t as_blocks(double blocks) {
  return static_cast<std::uint32_t>(std::clamp(blocks, 1.0, 2147483647.0));
}

// Kernels on tensor cores read channels last; operands in another layout are rewritten before them
// (cuDNN guide, "Tensor Cores", "Tensor transformations"). Results are written in either layout.
void add_layout_change(Plan& plan, const TensorShape& tensor) {
  constexpr double kBytesABlock = 4096;
  const double bytes = tensor.bytes();
  plan.kernels.push_back({.name = layout_kernel_name(),
                          .bytes = 2 * bytes,
                          .blocks = as_blocks(bytes / kBytesABlock)});
  constexpr std::int64_t kAligned = 512;
  plan.workspace_bytes += (static_cast<std::int64_t>(bytes) + kAligned - 1) / kAligned * kAligned;
}

// A filter of one place is a product of matrices, which takes either layout.
bool is_pointwise(const TensorShape& filter) {
  return std::all_of(filter.dims.begin() + std::min<std::ptrdiff_t>(2, std::ssize(filter.dims)),
                     filter.dims.end(), [](std::int64_t dim) { return dim == 1; });
}

Plan convolution_plan(const GraphWork& work, const Engine& engine, const DeviceSpec& spec) {
  Plan plan;
  for (const TensorShape& tensor : work.inputs) {
    if (engine.tensor_cores && !is_pointwise(work.filter) && !tensor.is_channels_last()) {
      add_layout_change(plan, tensor);
    }
  }
  plan.kernels.push_back({.name = convolution_kernel_name(work, engine, spec),
                          .flops = work.flops * engine.slowness,
                          .type = engine.type,
                          .bytes = work.bytes * engine.slowness,
                          .blocks = as_blocks(static_cast<double>(work.tiles))});
  // Gradients of the filter are added up in 32 bits; the other directions keep tables of offsets
  // for each place of the filter.
  plan.workspace_bytes += static_cast<std::int64_t>(work.filter.elements()) *
                              (work.pattern == Pattern::kConvolutionBackwardFilter ? 4 : 1) +
                          1024;
  return plan;
}

}  // namespace

Plan plan_of(const GraphWork& work, const Engine& engine, const DeviceSpec& spec) {
  if (is_convolution(work.pattern)) {
    return convolution_plan(work, engine, spec);
  }
  Plan plan;
  plan.kernels.push_back({.name = graph_kernel_name(work, engine, spec),
                          .flops = work.flops,
                          .type = engine.type,
                          .bytes = work.bytes,
                          .blocks = as_blocks(static_cast<double>(work.tiles))});
  if (work.pattern ==
      Pattern::kAttentionBackward) {  // sums of gradients of the queries, in 32 bits
    plan.workspace_bytes = static_cast<std::int64_t>(work.bytes / 4);
  }
  return plan;
}

Status submit(const Plan& plan, CUstream_st* stream) {
  for (const Kernel& kernel : plan.kernels) {
    if (const Status status = submit_kernel(stream, kernel.name, kernel.flops, kernel.type,
                                            kernel.bytes, kernel.blocks);
        status != 0) {
      return status;
    }
  }
  return 0;
}

Nanoseconds duration_of(const Plan& plan, int device) {
  Nanoseconds sum = 0;
  for (const Kernel& kernel : plan.kernels) {
    sum += kernel_time(device, kernel.flops, kernel.type, kernel.bytes);
  }
  return sum;
}

}  // namespace simgpu::cudnn
