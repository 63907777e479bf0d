// NVML API Reference Guide, "Multi Instance GPU Management", for the one mode of SIMGPU_NVML=mig:
// one GPU instance that is the whole device, with one compute instance. What CUDA sees stays the
// whole device.
#include "nvml/asked.h"
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

// MIG came with data centre devices of Ampere.
bool has_mig(nvmlDevice_t device) {
  return spec(device).major >= 9 || (spec(device).major == 8 && spec(device).minor == 0);
}

nvmlReturn_t number_of_instance(nvmlDevice_t device, unsigned* id, unsigned number) {
  return with_device(device, {id}, [&] {
    if (!device->is_instance) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    *id = number;
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  return with_device(device, {current, pending}, [&] {
    if (!has_mig(device) || device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    *current = *pending = asked().mig ? NVML_DEVICE_MIG_ENABLE : NVML_DEVICE_MIG_DISABLE;
    return NVML_SUCCESS;
  });
}

// "Returns zero if MIG is not supported or enabled."
nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned* count) {
  return with_device(device, {count}, [&] {
    *count = asked().mig && has_mig(device) && !device->is_instance ? 7 : 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index,
                                                 nvmlDevice_t* instance) {
  return with_device(device, {instance}, [&] {
    if (!asked().mig || !has_mig(device) || device->is_instance) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    if (index > 0) {
      return NVML_ERROR_NOT_FOUND;
    }
    *instance = instance_of(device->index);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t instance,
                                                          nvmlDevice_t* device) {
  return with_device(instance, {device}, [&] {
    if (!instance->is_instance) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    *device = whole_device(instance->index);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned* is) {
  return with_device(device, {is}, [&] {
    *is = device->is_instance ? 1 : 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned* id) {
  return number_of_instance(device, id, kGpuInstance);
}

nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned* id) {
  return number_of_instance(device, id, kComputeInstance);
}

}  // extern "C"
