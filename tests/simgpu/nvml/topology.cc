// NVML API Reference Guide, "NvLink Methods" and the topology queries: the devices of a simulated
// machine have no NVLink that NVML could count, and reach each other over PCIe below one host
// bridge. (nccl/ takes NVLink's speed for its collectives all the same.)
#include <cstring>

#include "nvml/device.h"

using namespace simgpu::nvml;  // NOLINT: the symbols below are C's

namespace {

nvmlReturn_t not_supported(nvmlDevice_t device, const void* output) {
  return with_device(device, {output}, [] { return NVML_ERROR_NOT_SUPPORTED; });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned, nvmlEnableState_t* state) {
  return not_supported(device, state);
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned,
                                                 nvmlIntNvLinkDeviceType_t* type) {
  return not_supported(device, type);
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned,
                                                 nvmlPciInfo_t* pci) {
  return not_supported(device, pci);
}

nvmlReturn_t nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned, nvmlNvLinkCapability_t,
                                           unsigned* value) {
  return not_supported(device, value);
}

// "For Hopper or newer": a device that no NVSwitch connects answers that its state is not
// supported. PyTorch asks from compute capability 9.0 on, before it makes an expandable segment.
nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t* info) {
  return with_device(device, {info}, [&] {
    if (spec(device).major < 9) {
      return NVML_ERROR_NOT_SUPPORTED;
    }
    if (info->version != nvmlGpuFabricInfo_v2 && info->version != nvmlGpuFabricInfo_v3) {
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    std::memset(info->clusterUuid, 0, sizeof(info->clusterUuid));
    info->status = NVML_SUCCESS;
    info->cliqueId = 0;
    info->state = NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
    info->healthMask = 0;
    if (info->version == nvmlGpuFabricInfo_v3) {
      info->healthSummary = NVML_GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED;
    }
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device, nvmlDevice_t peer,
                                    nvmlGpuP2PCapsIndex_t which, nvmlGpuP2PStatus_t* status) {
  if (const nvmlReturn_t refused = refusal(peer, {status}); refused != NVML_SUCCESS) {
    return refused;
  }
  return with_device(device, {status}, [&] {
    *status = which == NVML_P2P_CAPS_INDEX_NVLINK || which == NVML_P2P_CAPS_INDEX_ATOMICS
                  ? NVML_P2P_STATUS_NOT_SUPPORTED
                  : NVML_P2P_STATUS_OK;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device, nvmlDevice_t other,
                                                 nvmlGpuTopologyLevel_t* level) {
  if (const nvmlReturn_t refused = refusal(other, {level}); refused != NVML_SUCCESS) {
    return refused;
  }
  return with_device(device, {level}, [&] {
    *level = NVML_TOPOLOGY_HOSTBRIDGE;
    return NVML_SUCCESS;
  });
}

}  // extern "C"
