// What a device is called for good, the same in CUDA, NVML and CUDA_VISIBLE_DEVICES.
#pragma once

#include <string>

namespace simgpu {

// The byte of which all of cudaDeviceProp's uuid consists.
unsigned char uuid_byte(int device);

// "01010101-0101-0101-0101-010101010101", behind "GPU-" or, of the one instance under MIG, "MIG-".
std::string uuid_text(int device);

}  // namespace simgpu
