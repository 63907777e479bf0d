// The part of flatout/data.h that is about batches in the host's memory.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "data/abi/batch_handle.h"
#include "data/abi/guarded.h"
#include "flatout/data.h"

namespace data = flatout::data;

namespace {

using data::abi::failed;

const data::BadSample* bad_of(const flatout_batch& batch, std::int64_t number) {
  const auto& bad = batch.ready.made.bad;
  return number >= 0 && std::cmp_less(number, bad.size()) ? &bad[static_cast<std::size_t>(number)]
                                                          : nullptr;
}

flatout_array device_array(const flatout_batch& batch, const data::DeviceArray& of) {
  flatout_array out{.name = of.name,
                    .type = of.type,
                    .data = reinterpret_cast<void*>(batch.ready.buffer->address() + of.begin),
                    .axes = std::ssize(of.shape),
                    .shape = {}};
  std::ranges::copy(of.shape, out.shape);
  return out;
}

}  // namespace

int64_t flatout_batch_size(const flatout_batch* batch) {
  return static_cast<int64_t>(batch->ready.made.indices.size());
}
void* flatout_batch_data(flatout_batch* batch) { return batch->ready.made.memory.get(); }
const int64_t* flatout_batch_labels(const flatout_batch* batch) {
  return batch->ready.labels.data();
}
const float* flatout_batch_targets(const flatout_batch* batch) {
  return batch->ready.targets.empty() ? nullptr : batch->ready.targets.data();
}
int64_t flatout_batch_classes(const flatout_batch* batch) { return batch->ready.classes; }
const int64_t* flatout_batch_indices(const flatout_batch* batch) {
  return batch->ready.made.indices.data();
}

int64_t flatout_batch_arrays(const flatout_batch* batch) {
  return batch->ready.buffer != nullptr ? std::ssize(batch->ready.device_arrays)
                                        : std::ssize(batch->ready.arrays);
}

int flatout_batch_array(flatout_batch* batch, int64_t number, flatout_array* array) {
  if (batch == nullptr || array == nullptr || number < 0 || number >= flatout_batch_arrays(batch))
    return failed("flatout_batch_array: an argument is NULL, or there is no such array");
  if (batch->ready.buffer != nullptr) {
    *array = device_array(*batch, batch->ready.device_arrays[static_cast<std::size_t>(number)]);
    return FLATOUT_OK;
  }
  const std::size_t samples = batch->ready.made.indices.size();
  std::size_t begin = 0;
  for (int64_t i = 0; i < number; ++i)
    begin = data::aligned_array(begin +
                                samples * batch->ready.arrays[static_cast<std::size_t>(i)].bytes());
  const data::ArrayPart& part = batch->ready.arrays[static_cast<std::size_t>(number)];
  *array = {.name = part.name,
            .type = data::name_of(part.type),
            .data = batch->ready.made.memory.get() + begin,
            .axes = 1 + std::ssize(part.shape),
            .shape = {static_cast<int64_t>(samples)}};
  std::ranges::copy(part.shape, array->shape + 1);
  return FLATOUT_OK;
}

int64_t flatout_batch_bad(const flatout_batch* batch) { return std::ssize(batch->ready.made.bad); }
int64_t flatout_batch_bad_place(const flatout_batch* batch, int64_t number) {
  const data::BadSample* bad = bad_of(*batch, number);
  return bad == nullptr ? -1 : static_cast<int64_t>(bad->place);
}
const char* flatout_batch_bad_reason(const flatout_batch* batch, int64_t number) {
  const data::BadSample* bad = bad_of(*batch, number);
  return bad == nullptr ? nullptr : bad->error.message.c_str();
}

void flatout_batch_free(flatout_batch* batch) { delete batch; }
