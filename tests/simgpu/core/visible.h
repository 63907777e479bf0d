// Which devices of the machine this process sees, and under which number (CUDA C++ Programming
// Guide, "CUDA Environment Variables", CUDA_VISIBLE_DEVICES). Everything in core/ counts as the
// machine does; the entry points of runtime and driver translate.
#pragma once

#include <vector>

namespace simgpu {

// Machine numbers in the process's order; ends at the first entry that names no device, as CUDA
// does.
const std::vector<int>& visible_devices();

int visible_count();
bool is_visible(int local);
int machine_device(int local);  // `local` must be visible
int local_device(int machine);  // -1 where it is not visible

}  // namespace simgpu
