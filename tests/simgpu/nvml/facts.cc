// NVML API Reference Guide, "Device Queries": what a device is. From the table of
// core/device_spec.cc.
#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

nvmlDeviceArchitecture_t architecture(int major, int minor) {
  if (major == 9) {
    return NVML_DEVICE_ARCH_HOPPER;
  }
  if (major == 8) {
    return minor == 9 ? NVML_DEVICE_ARCH_ADA : NVML_DEVICE_ARCH_AMPERE;
  }
  return major == 7 && minor == 5 ? NVML_DEVICE_ARCH_TURING : NVML_DEVICE_ARCH_UNKNOWN;
}

nvmlReturn_t not_supported(nvmlDevice_t device, std::initializer_list<const void*> outputs) {
  return with_device(device, outputs, [] { return NVML_ERROR_NOT_SUPPORTED; });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  return with_device(device, {major, minor}, [&] {
    *major = spec(device).major;
    *minor = spec(device).minor;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t* which) {
  return with_device(device, {which}, [&] {
    *which = architecture(spec(device).major, spec(device).minor);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t* mode) {
  return with_device(device, {mode}, [&] {
    *mode = NVML_COMPUTEMODE_DEFAULT;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return with_device(device, {mode}, [&] {
    *mode = NVML_FEATURE_ENABLED;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t* active) {
  return with_device(device, {active}, [&] {
    *active = NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetDisplayMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return nvmlDeviceGetDisplayActive(device, mode);
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char* serial, unsigned) {
  return not_supported(device, {serial});
}

nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char* version, unsigned) {
  return not_supported(device, {version});
}

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned* speed) {
  return not_supported(device, {speed});
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current,
                                  nvmlEnableState_t* pending) {
  return not_supported(device, {current, pending});
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t,
                                         nvmlEccCounterType_t, unsigned long long* count) {
  return not_supported(device, {count});
}

}  // extern "C"
