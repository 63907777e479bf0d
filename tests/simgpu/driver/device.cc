// CUDA Driver API: "Initialization", "Version Management", "Device Management", "Peer Context
// Memory Access". A CUdevice is the device's number among those that the process sees.
#include <cstdio>
#include <cstring>

#include "core/config.h"
#include "core/device_attributes.h"
#include "core/uuid.h"
#include "core/visible.h"
#include "driver/status.h"

#define SIMGPU_DRIVER_BEGIN_OF_DEVICE(function, device) \
  SIMGPU_DRIVER_BEGIN(function)                         \
  if (!simgpu::is_visible(device)) {                    \
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_DEVICE);    \
  }                                                     \
  const int machine = simgpu::machine_device(device)

extern "C" {

CUresult cuInit(unsigned flags) {
  SIMGPU_DRIVER_API(cuInit);
  SIMGPU_DRIVER_REQUIRE(flags == 0)
  const simgpu::Locked guard(simgpu::process().lock);
  const auto error = simgpu::standing_error();
  if (error == simgpu::kSuccess && simgpu::visible_count() == 0) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_NO_DEVICE);
  }
  SIMGPU_DRIVER_RETURN(error);
}

CUresult cuDriverGetVersion(int* version) {
  SIMGPU_DRIVER_API(cuDriverGetVersion);  // works before cuInit
  SIMGPU_DRIVER_REQUIRE(version != nullptr)
  *version = 13000;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDeviceGetCount(int* count) {
  SIMGPU_DRIVER_BEGIN(cuDeviceGetCount)
  SIMGPU_DRIVER_REQUIRE(count != nullptr)
  *count = simgpu::visible_count();
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  SIMGPU_DRIVER_BEGIN(cuDeviceGet)
  SIMGPU_DRIVER_REQUIRE(device != nullptr)
  if (!simgpu::is_visible(ordinal)) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_DEVICE);
  }
  *device = ordinal;
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  SIMGPU_DRIVER_BEGIN_OF_DEVICE(cuDeviceGetName, device);
  SIMGPU_DRIVER_REQUIRE(name != nullptr && bytes > 0)
  std::snprintf(name, static_cast<std::size_t>(bytes), "%s", simgpu::spec_of(machine).name);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  SIMGPU_DRIVER_BEGIN_OF_DEVICE(cuDeviceGetUuid_v2, device);
  SIMGPU_DRIVER_REQUIRE(uuid != nullptr)
  std::memset(uuid->bytes, simgpu::uuid_byte(machine), sizeof(uuid->bytes));
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  SIMGPU_DRIVER_BEGIN_OF_DEVICE(cuDeviceTotalMem_v2, device);
  SIMGPU_DRIVER_REQUIRE(bytes != nullptr)
  *bytes = simgpu::memory_of(machine);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  SIMGPU_DRIVER_BEGIN_OF_DEVICE(cuDeviceGetAttribute, device);
  SIMGPU_DRIVER_REQUIRE(value != nullptr && which > 0 && which < CU_DEVICE_ATTRIBUTE_MAX)
  *value = simgpu::device_attribute(machine, which);
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device) {
  SIMGPU_DRIVER_BEGIN_OF_DEVICE(cuDeviceGetPCIBusId, device);
  SIMGPU_DRIVER_REQUIRE(text != nullptr && bytes > 0)
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0",
                static_cast<unsigned>(machine + 1));
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  SIMGPU_DRIVER_BEGIN_OF_DEVICE(cuDeviceCanAccessPeer, device);
  SIMGPU_DRIVER_REQUIRE(can != nullptr)
  if (!simgpu::is_visible(peer)) {
    SIMGPU_DRIVER_RETURN(CUDA_ERROR_INVALID_DEVICE);
  }
  *can = static_cast<int>(machine != simgpu::machine_device(peer));
  SIMGPU_DRIVER_RETURN(CUDA_SUCCESS);
}
}
