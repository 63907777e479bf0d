// CUpti_ActivityAttribute: kept and told. Only CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER
// changes anything: there is no profiling memory on a simulated device that could run out, and one
// sequence of buffers for all threads.
#include <cupti.h>

#include <cstring>
#include <map>
#include <mutex>

#include "cupti/collector.h"

namespace {

struct Attribute {
  std::size_t bytes;
  std::size_t value;  // the default of cupti_activity.h
};

std::mutex lock;

std::map<int, Attribute>& attributes() {
  static auto* const all = new std::map<int, Attribute>{
      {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, {sizeof(std::size_t), 3200000}},
      {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP, {sizeof(std::size_t), 8388608}},
      {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, {sizeof(std::size_t), 250}},
      {CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, {1, 0}},
      {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, {sizeof(std::size_t), 3}},
      {CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, {1, 0}},
      {CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, {1, 1}},
      {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS, {sizeof(std::size_t), 16777216}},
  };
  return *all;
}

// The attribute, or the status to give instead.
CUptiResult find(CUpti_ActivityAttribute which, const size_t* bytes, const void* value,
                 Attribute** found) {
  const auto at = attributes().find(which);
  if (bytes == nullptr || value == nullptr || at == attributes().end()) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *found = &at->second;
  return *bytes < at->second.bytes ? CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT : CUPTI_SUCCESS;
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute which, size_t* bytes, void* value) {
  const std::lock_guard guard(lock);
  Attribute* found = nullptr;
  const CUptiResult status = find(which, bytes, value, &found);
  if (status == CUPTI_SUCCESS) {
    *bytes = found->bytes;
    std::memcpy(value, &found->value, found->bytes);
  }
  return status;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute which, size_t* bytes, void* value) {
  const std::lock_guard guard(lock);
  Attribute* found = nullptr;
  const CUptiResult status = find(which, bytes, value, &found);
  if (status == CUPTI_SUCCESS) {
    found->value = 0;
    std::memcpy(&found->value, value, found->bytes);
    if (which == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER) {
      simgpu::cupti::collector().set_may_zero(found->value == 0);
    }
  }
  return status;
}
}
