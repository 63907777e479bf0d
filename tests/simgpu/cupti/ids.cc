// Numbers and names of things: cuptiGetContextId, cuptiGetStreamIdEx, cuptiGetCallbackName and the
// like; CUPTI documentation, "Activity API", "Callback API", "Result Codes", "Version".
#include <cupti.h>

#include <algorithm>

#include "core/config.h"
#include "core/context.h"
#include "core/process.h"
#include "core/visible.h"
#include "cupti/callback_ids.h"
#include "cupti/results.h"

using simgpu::cupti::CallbackId;

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  if (text == nullptr || simgpu::cupti::name_of(result) == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *text = simgpu::cupti::name_of(result);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  if (text == nullptr || simgpu::cupti::text_of(result) == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *text = simgpu::cupti::text_of(result);
  return CUPTI_SUCCESS;
}

// "Names are available only for the DRIVER and RUNTIME domains."
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t callback,
                                 const char** name) {
  if (name == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *name = nullptr;
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  const auto& all = domain == CUPTI_CB_DOMAIN_DRIVER_API ? simgpu::cupti::driver_callback_ids()
                                                         : simgpu::cupti::runtime_callback_ids();
  const auto found = std::find_if(
      all.begin(), all.end(), [callback](const CallbackId& one) { return one.number == callback; });
  if (found == all.end()) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *name = found->name;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  const int device = simgpu::device_of_context(context);
  if (id == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (device < 0 || !simgpu::has_context(device)) {
    return CUPTI_ERROR_INVALID_CONTEXT;
  }
  *id = simgpu::context_number(device);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t* id) {
  const int device =
      context == nullptr ? simgpu::current_device() : simgpu::device_of_context(context);
  if (id == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (device < 0) {
    return CUPTI_ERROR_INVALID_DEVICE;
  }
  *id = static_cast<std::uint32_t>(simgpu::local_device(device));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream handle, uint8_t per_thread,
                               uint32_t* id) {
  if (id == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  const simgpu::Locked guard(simgpu::process().lock);
  const auto* const stream =
      simgpu::stream_of(handle == nullptr && per_thread != 0 ? CU_STREAM_PER_THREAD : handle);
  if (stream == nullptr ||
      (context != nullptr && simgpu::device_of_context(context) != stream->device)) {
    return CUPTI_ERROR_INVALID_STREAM;
  }
  *id = stream->number;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t* id) {
  return cuptiGetStreamIdEx(context, stream, 0, id);
}

CUptiResult cuptiDeviceSupported(CUdevice device, int* support) {
  if (support == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (!simgpu::is_visible(device)) {
    return CUPTI_ERROR_INVALID_DEVICE;
  }
  *support = 1;
  return CUPTI_SUCCESS;
}
}
