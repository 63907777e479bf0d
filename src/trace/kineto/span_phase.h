// The phase of a step that a host span stands for, by its name. Names are those of PyTorch's
// profiler: torch/utils/data/dataloader.py, torch/optim/optimizer.py, torch/autograd, and the
// CUDA and HIP runtimes.
#pragma once

#include <optional>
#include <string_view>

#include "run/activity.h"
#include "run/phase.h"

namespace flatout::trace {

// Of data_wait, optimizer, forward, comm and sync; empty of all others.
std::optional<run::Phase> span_phase(run::HostSpanKind kind, std::string_view name);

// A function of the backward pass, whichever thread executes it.
bool is_backward(std::string_view name);
// An op that may copy a batch to the device.
bool is_transfer(std::string_view name);
// An op that may be the first of a forward pass.
bool starts_forward(std::string_view name);
// The span that torch.profiler's step() marks: "ProfilerStep#7".
bool is_profiler_step(std::string_view name);
// The batch fetch of a DataLoader without workers.
bool fetches_in_step_thread(std::string_view name);

}  // namespace flatout::trace
