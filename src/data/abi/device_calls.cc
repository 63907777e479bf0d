// The part of flatout/data.h that is about devices.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/abi/batch_handle.h"
#include "data/abi/dlpack.h"
#include "data/abi/guarded.h"
#include "data/abi/loader_handle.h"
#include "flatout/data.h"

namespace data = flatout::data;

namespace {

using data::abi::DlManagedTensor;
using data::abi::DlType;
using data::abi::failed;
using data::abi::guarded;
using data::abi::status_of;

struct NamedDlType {
  std::string_view name;
  DlType type;
};

constexpr std::array<NamedDlType, 12> kDlTypes = {{{"uint8", {data::abi::kDlUint, 8, 1}},
                                                   {"int8", {data::abi::kDlInt, 8, 1}},
                                                   {"uint16", {data::abi::kDlUint, 16, 1}},
                                                   {"int16", {data::abi::kDlInt, 16, 1}},
                                                   {"uint32", {data::abi::kDlUint, 32, 1}},
                                                   {"int32", {data::abi::kDlInt, 32, 1}},
                                                   {"uint64", {data::abi::kDlUint, 64, 1}},
                                                   {"int64", {data::abi::kDlInt, 64, 1}},
                                                   {"float16", {data::abi::kDlFloat, 16, 1}},
                                                   {"float32", {data::abi::kDlFloat, 32, 1}},
                                                   {"float64", {data::abi::kDlFloat, 64, 1}},
                                                   {"bfloat16", {data::abi::kDlBfloat, 16, 1}}}};

// A tensor and what it points to.
struct SharedTensor {
  DlManagedTensor managed = {};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::shared_ptr<data::device::DeviceBuffer> buffer;
};

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) out[axis - 1] = out[axis] * shape[axis];
  return out;
}

DlManagedTensor* share(const flatout_batch& batch, const data::DeviceArray& array) {
  auto out = std::make_unique<SharedTensor>();
  out->shape = array.shape;
  out->strides = strides_of(array.shape);
  out->buffer = batch.ready.buffer;
  const auto* const type = std::ranges::find(kDlTypes, array.type, &NamedDlType::name);
  const data::device::DeviceAddress at = batch.ready.buffer->address() + array.begin;
  out->managed.tensor = {.data = reinterpret_cast<void*>(at),
                         .device = {data::abi::kDlCuda, batch.ready.buffer->context().ordinal()},
                         .axes = static_cast<std::int32_t>(array.shape.size()),
                         .type = type->type,
                         .shape = out->shape.data(),
                         .strides = out->strides.data(),
                         .byte_offset = 0};
  out->managed.owner = out.get();
  out->managed.deleter = [](DlManagedTensor* self) {
    delete static_cast<SharedTensor*>(self->owner);
  };
  return &out.release()->managed;
}

// Functions of the interpreter: a process has one.
std::atomic<int (*)(void*, const char*)> capsule_is_valid;
std::atomic<void* (*)(void*, const char*)> capsule_pointer;

// A tensor that was taken has had its capsule renamed.
void end_capsule(void* capsule) {
  constexpr const char* kNotTaken = "dltensor";
  if (capsule_is_valid.load()(capsule, kNotTaken) == 0) return;
  auto* const managed = static_cast<DlManagedTensor*>(capsule_pointer.load()(capsule, kNotTaken));
  managed->deleter(managed);
}

}  // namespace

int flatout_loader_to_device(flatout_loader* loader, const char* device) {
  if (device == nullptr) return failed("flatout_loader_to_device: an argument is NULL");
  return data::abi::with_loader(loader, __func__, [&](data::abi::LoaderHandle& of) {
    return status_of(data::to_device(*of.open, device));
  });
}

int64_t flatout_batch_device(const flatout_batch* batch) {
  return batch->ready.buffer == nullptr ? -1 : batch->ready.buffer->context().ordinal();
}

int flatout_batch_wait(flatout_batch* batch, void* stream) {
  if (batch == nullptr || batch->ready.buffer == nullptr)
    return failed("flatout_batch_wait: no batch, or one that is on no device");
  return guarded([&] {
    return status_of(batch->ready.buffer->wait(reinterpret_cast<data::device::CudaStream>(stream)));
  });
}

void flatout_batch_used_unseen(flatout_batch* batch) {
  if (batch != nullptr && batch->ready.buffer != nullptr) batch->ready.buffer->used_by_unknown();
}

int flatout_batch_dlpack(flatout_batch* batch, int64_t number, void** managed) {
  if (batch == nullptr || managed == nullptr || batch->ready.buffer == nullptr || number < 0 ||
      number >= std::ssize(batch->ready.device_arrays)) {
    return failed(
        "flatout_batch_dlpack: an argument is NULL, the batch is on no device, or there is no such "
        "array");
  }
  return guarded([&] {
    *managed = share(*batch, batch->ready.device_arrays[static_cast<std::size_t>(number)]);
    return FLATOUT_OK;
  });
}

void* flatout_batch_capsule_end(void* is_valid, void* get_pointer) {
  capsule_is_valid = reinterpret_cast<int (*)(void*, const char*)>(is_valid);
  capsule_pointer = reinterpret_cast<void* (*)(void*, const char*)>(get_pointer);
  return reinterpret_cast<void*>(&end_capsule);
}
