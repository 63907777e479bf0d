// Attributes of a device, by the numbers that cudaDeviceAttr and CUdevice_attribute have in common.
#pragma once

namespace simgpu {

// What is not in the table is 0: not supported. Device as the machine counts.
int device_attribute(int machine, int which);

}  // namespace simgpu
