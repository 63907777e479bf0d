#include "trace/kineto/span_phase.h"

#include "run/host_calls.h"

namespace flatout::trace {
namespace {

using run::HostSpanKind;
using run::Phase;

bool is_batch_fetch(std::string_view name) {
  return name.starts_with("enumerate(DataLoader)") ||
         (name.find("DataLoaderIter.__next__") != std::string_view::npos);
}

bool is_collective(std::string_view name) {
  return name.starts_with("nccl:") || name.starts_with("gloo:") || name.starts_with("c10d::");
}

}  // namespace

std::optional<Phase> span_phase(HostSpanKind kind, std::string_view name) {
  if (kind == HostSpanKind::kCall) {
    return run::is_sync_call(name) ? std::optional(Phase::kSync) : std::nullopt;
  }
  if (kind == HostSpanKind::kPython) {
    return name.starts_with("nn.Module: ") ? std::optional(Phase::kForward) : std::nullopt;
  }
  if (is_batch_fetch(name)) return Phase::kDataWait;
  if (name.starts_with("Optimizer.step#")) return Phase::kOptimizer;
  if (name == "DistributedDataParallel.forward") return Phase::kForward;
  return is_collective(name) ? std::optional(Phase::kComm) : std::nullopt;
}

bool is_backward(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function: ")) return true;
  // Until PyTorch 1.9 the functions alone: CudnnConvolutionBackward, ReluBackward1.
  if (name.starts_with("torch::autograd::")) return true;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with("Backward") && name.find(':') == std::string_view::npos;
}

bool starts_forward(std::string_view name) {
  return name.starts_with("aten::") && !is_transfer(name);
}

bool is_transfer(std::string_view name) {
  return name == "aten::to" || name == "aten::_to_copy" || name == "aten::copy_" ||
         name == "aten::cuda" || name == "aten::pin_memory";
}

bool is_profiler_step(std::string_view name) { return name.starts_with("ProfilerStep#"); }

bool fetches_in_step_thread(std::string_view name) {
  return name.find("_SingleProcessDataLoaderIter") != std::string_view::npos;
}

}  // namespace flatout::trace
