// An execution plan: the kernels that an engine launches for a graph, and the workspace they need.
#pragma once

#include <cstdint>
#include <vector>

#include "core/clock.h"
#include "cudnn/engine.h"

namespace simgpu::cudnn {

struct Descriptor;

struct Kernel {
  const char* name = "";  // interned
  double flops = 0;
  FlopType type = FlopType::kF32;
  double bytes = 0;
  std::uint32_t blocks = 1;
};

struct Plan {
  std::vector<Kernel> kernels;  // one after the other
  std::int64_t workspace_bytes = 0;
};

Plan plan_of(const GraphWork& work, const Engine& engine, const DeviceSpec& spec);

Status submit(const Plan& plan, CUstream_st* stream);
// What the plan's kernels take on the device, one after the other.
Nanoseconds duration_of(const Plan& plan, int device);

// cudnnBackendExecute() once handles are resolved.
cudnnStatus_t execute(const cudnnContext& handle, const Descriptor& plan, const Descriptor& pack);

}  // namespace simgpu::cudnn
