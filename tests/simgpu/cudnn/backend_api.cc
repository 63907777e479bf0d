// The entry points of the graph API: docs.nvidia.com, "cuDNN backend API", cudnn_graph library,
// "API functions".
#include <algorithm>

#include "cudnn/descriptor.h"
#include "cudnn/plan.h"

namespace {

using simgpu::cudnn::Descriptor;
using simgpu::cudnn::DescriptorHandle;
using simgpu::cudnn::fail;
using simgpu::cudnn::Value;

DescriptorHandle* as_handle(void* descriptor) { return static_cast<DescriptorHandle*>(descriptor); }

cudnnStatus_t take(Descriptor& descriptor, int attribute, int type, std::int64_t count,
                   const void* elements) {
  if (descriptor.finalized) {
    return fail(CUDNN_STATUS_BAD_PARAM, "the descriptor is finalized already");
  }
  if (count < 0 || (count > 0 && elements == nullptr)) {
    return fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "elements are missing");
  }
  Value value{.type = type, .count = count, .data = {}, .descriptors = {}};
  if (type == simgpu::cudnn::kTypeDescriptor) {
    void* const* const handles = static_cast<void* const*>(elements);
    for (std::int64_t i = 0; i < count; ++i) {
      if (handles[i] == nullptr || !as_handle(handles[i])->descriptor->finalized) {
        return fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                    "a descriptor that is not finalized was given");
      }
      value.descriptors.push_back(as_handle(handles[i])->descriptor);
    }
  } else if (count > 0) {
    value.data.resize(static_cast<std::size_t>(count) * simgpu::cudnn::attribute_bytes(type));
    std::memcpy(value.data.data(), elements, value.data.size());
  }
  descriptor.values[attribute] = std::move(value);
  return CUDNN_STATUS_SUCCESS;
}

// With no room for elements it only tells how many there are.
cudnnStatus_t give(const Value& value, int type, std::int64_t requested, std::int64_t* count,
                   void* elements) {
  if (value.type != type) {
    return fail(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "the attribute has another type");
  }
  if (count != nullptr) {
    *count = value.count;
  }
  const std::int64_t given = elements == nullptr ? 0 : std::min(requested, value.count);
  if (type == simgpu::cudnn::kTypeDescriptor) {
    for (std::int64_t i = 0; i < given; ++i) {
      as_handle(static_cast<void**>(elements)[i])->descriptor =
          value.descriptors[static_cast<std::size_t>(i)];
    }
  } else if (given > 0) {
    std::memcpy(elements, value.data.data(),
                static_cast<std::size_t>(given) * simgpu::cudnn::attribute_bytes(type));
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(int type, void** descriptor) {
  SIMGPU_LIBRARY_API(cudnnBackendCreateDescriptor);
  if (descriptor == nullptr) {
    return simgpu_scope_.ends(
        fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no room for the descriptor"));
  }
  if (type < 0 || type > simgpu::cudnn::kLastSupported ||
      type == simgpu::cudnn::kMixtureOfExperts) {
    return simgpu_scope_.ends(
        fail(CUDNN_STATUS_NOT_SUPPORTED, "descriptors of this type are not simulated"));
  }
  auto made = std::make_shared<Descriptor>();
  made->type = type;
  *descriptor = new DescriptorHandle{std::move(made)};
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnBackendDestroyDescriptor(void* descriptor) {
  SIMGPU_LIBRARY_API(cudnnBackendDestroyDescriptor);
  delete as_handle(descriptor);
  return simgpu_scope_.ends(CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t cudnnBackendSetAttribute(void* descriptor, int attribute, int type,
                                       std::int64_t count, const void* elements) {
  SIMGPU_LIBRARY_API(cudnnBackendSetAttribute);
  if (descriptor == nullptr) {
    return simgpu_scope_.ends(fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no descriptor"));
  }
  return simgpu_scope_.ends(
      take(*as_handle(descriptor)->descriptor, attribute, type, count, elements));
}

cudnnStatus_t cudnnBackendGetAttribute(void* descriptor, int attribute, int type,
                                       std::int64_t requested, std::int64_t* count,
                                       void* elements) {
  SIMGPU_LIBRARY_API(cudnnBackendGetAttribute);
  if (descriptor == nullptr) {
    return simgpu_scope_.ends(fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no descriptor"));
  }
  const Descriptor& held = *as_handle(descriptor)->descriptor;
  if (!held.finalized) {
    return simgpu_scope_.ends(fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                                   "attributes can be read once the descriptor is finalized"));
  }
  Value derived;
  if (simgpu::cudnn::read_derived(held, attribute, derived)) {
    return simgpu_scope_.ends(give(derived, type, requested, count, elements));
  }
  const Value* const value = held.find(attribute);
  if (value == nullptr) {
    return simgpu_scope_.ends(
        fail(CUDNN_STATUS_NOT_SUPPORTED, "the attribute was not set and is not simulated"));
  }
  return simgpu_scope_.ends(give(*value, type, requested, count, elements));
}

cudnnStatus_t cudnnBackendFinalize(void* descriptor) {
  SIMGPU_LIBRARY_API(cudnnBackendFinalize);
  if (descriptor == nullptr) {
    return simgpu_scope_.ends(fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no descriptor"));
  }
  return simgpu_scope_.ends(simgpu::cudnn::finalize(*as_handle(descriptor)->descriptor));
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, void* plan, void* pack) {
  SIMGPU_LIBRARY_API(cudnnBackendExecute);
  if (handle == nullptr || plan == nullptr || pack == nullptr) {
    return simgpu_scope_.ends(
        fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "handle, plan or variant pack is missing"));
  }
  return simgpu_scope_.ends(
      simgpu::cudnn::execute(*handle, *as_handle(plan)->descriptor, *as_handle(pack)->descriptor));
}
}
