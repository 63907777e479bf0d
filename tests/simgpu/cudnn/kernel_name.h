// Names of kernels, in the manner of those that profilers show of cuDNN: architecture, direction,
// types, layout, tile. Interned.
#pragma once

#include "cudnn/engine.h"

namespace simgpu::cudnn {

const char* convolution_kernel_name(const GraphWork& work, const Engine& engine,
                                    const DeviceSpec& spec);
const char* graph_kernel_name(const GraphWork& work, const Engine& engine, const DeviceSpec& spec);
const char* layout_kernel_name();
const char* type_name(cudnnDataType_t type);

}  // namespace simgpu::cudnn
