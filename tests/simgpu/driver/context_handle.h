// What stands for a context as a CUcontext.
#pragma once

#include "driver/status.h"

namespace simgpu::driver {

inline CUcontext handle_of(Context& context) { return reinterpret_cast<CUcontext>(&context); }

}  // namespace simgpu::driver
