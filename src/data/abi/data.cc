// flatout/data.h over the loading engine: handles, a reason for each failure, no exception out.
#include "flatout/data.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/abi/batch_handle.h"
#include "data/abi/c_loader.h"
#include "data/abi/guarded.h"
#include "data/source/blob_list.h"
#include "data/source/file_list.h"

using flatout::base::Result;
namespace data = flatout::data;

namespace {

constexpr std::int64_t kNoNumber = -1;  // of a loader that is not open

using data::abi::asked_of_loader;
using data::abi::CLoader;
using data::abi::failed;
using data::abi::guarded;
using data::abi::with_loader;

int open_with(const char* spec, std::unique_ptr<data::Source> given, flatout_loader** loader) {
  const auto read = data::spec::read_loader_spec(spec);
  if (!read) return failed(read.error().message);
  auto open = data::abi::open_loader(*read, std::move(given));
  if (!open) return failed(open.error().message);
  *loader = data::abi::enter_loader(
      std::make_shared<CLoader>(std::move(*open), data::abi::RunTold::of(*read)));
  return FLATOUT_OK;
}

int check_indices(const std::vector<std::int64_t>& indices, std::int64_t samples) {
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= samples) {
      return failed("sample " + std::to_string(index) + " is not in 0 to " +
                    std::to_string(samples - 1));
    }
  }
  return FLATOUT_OK;
}

int begin_with(data::abi::OpenLoader& open, uint32_t epoch, std::vector<std::int64_t> order) {
  if (const int wrong = check_indices(order, open.samples->size()); wrong != FLATOUT_OK)
    return wrong;
  if (open.arrays != nullptr && open.arrays->batches_by_itself())
    return failed("batches of one bucket each have an order of their own; leave `order` NULL");
  const auto begun = open.begin_with(epoch, std::move(order));
  return begun ? FLATOUT_OK : failed(begun.error().message);
}

// The order that the spec asks for, behind the `drawn` samples that all ranks together had of it.
int begin_own(data::abi::OpenLoader& open, uint32_t epoch, std::int64_t drawn) {
  const auto begun = open.begin_own(epoch, drawn);
  return begun ? FLATOUT_OK : failed(begun.error().message);
}

template <typename Begin>
int begin_told(CLoader& loader, Begin&& begin) {
  return loader.run == nullptr ? begin() : loader.run->epoch(*loader.open, begin);
}

int append_to(data::abi::OpenLoader& open, std::vector<std::int64_t> indices) {
  if (const int wrong = check_indices(indices, open.samples->size()); wrong != FLATOUT_OK)
    return wrong;
  if (open.arrays != nullptr && open.arrays->batches_by_itself())
    return failed("batches of one bucket each have an order of their own; nothing is appended");
  const auto appended = open.loader.append(std::move(indices));
  return appended ? FLATOUT_OK : failed(appended.error().message);
}

int count_as_drawn(data::abi::OpenLoader& open, const std::vector<std::int64_t>& indices) {
  const int wrong = check_indices(indices, open.samples->size());
  if (wrong == FLATOUT_OK) open.loader.count_as_drawn(indices);
  return wrong;
}

int next_of(data::abi::OpenLoader& open, flatout_batch** batch) {
  auto made =
      open.device != nullptr ? data::abi::next_on_device(open) : data::abi::make_batch(open);
  if (!made) return failed(made.error().message);
  if (*made == nullptr) return FLATOUT_END;
  *batch = made->release();
  return FLATOUT_OK;
}

int next_told(CLoader& loader, flatout_batch** batch) {
  if (loader.run == nullptr) return next_of(*loader.open, batch);
  return loader.run->draw(*loader.open, [&](std::size_t& samples) {
    const int status = next_of(*loader.open, batch);
    if (status == FLATOUT_OK) samples = (*batch)->made.indices.size();
    return status;
  });
}

const data::BadSample* bad_of(const flatout_batch& batch, std::int64_t number) {
  const auto& bad = batch.made.bad;
  return number >= 0 && std::cmp_less(number, bad.size()) ? &bad[static_cast<std::size_t>(number)]
                                                          : nullptr;
}

flatout_array device_array(const flatout_batch& batch, const data::abi::DeviceArray& of) {
  flatout_array out{.name = of.name,
                    .type = of.type,
                    .data = reinterpret_cast<void*>(batch.buffer->address() + of.begin),
                    .axes = std::ssize(of.shape),
                    .shape = {}};
  std::ranges::copy(of.shape, out.shape);
  return out;
}

}  // namespace

const char* flatout_data_error(void) { return data::abi::last_error.c_str(); }

int flatout_loader_open(const char* spec, flatout_loader** loader) {
  if (spec == nullptr || loader == nullptr)
    return failed("flatout_loader_open: an argument is NULL");
  return guarded([&] { return open_with(spec, nullptr, loader); });
}

int flatout_loader_open_files(const char* spec, const char* const* paths, const int64_t* labels,
                              int64_t count, flatout_loader** loader) {
  if (spec == nullptr || loader == nullptr || count < 0 || (paths == nullptr && count > 0)) {
    return failed(
        "flatout_loader_open_files: an argument is NULL, or there are fewer than no files");
  }
  return guarded([&] {
    auto files = std::make_unique<data::FileList>();
    for (std::int64_t i = 0; i < count; ++i)
      files->add(paths[i], labels == nullptr ? 0 : labels[i]);
    return open_with(spec, std::move(files), loader);
  });
}

int flatout_loader_open_blobs(const char* spec, const char* const* paths, int64_t path_count,
                              const int64_t* places, const int64_t* labels, int64_t count,
                              flatout_loader** loader) {
  if (spec == nullptr || loader == nullptr || count < 0 || path_count < 0 ||
      (paths == nullptr && path_count > 0) || (places == nullptr && count > 0)) {
    return failed("flatout_loader_open_blobs: an argument is NULL, or there are fewer than none");
  }
  return guarded([&] {
    const auto samples = static_cast<std::size_t>(count);
    std::vector<data::Blob> blobs(samples);
    for (std::size_t i = 0; i < samples; ++i)
      blobs[i] = {.file = places[3 * i], .offset = places[3 * i + 1], .length = places[3 * i + 2]};
    std::vector<std::int64_t> classes(samples);
    if (labels != nullptr) std::copy_n(labels, samples, classes.begin());
    auto list = data::BlobList::open({paths, paths + path_count}, blobs, classes);
    if (!list) return failed(list.error().message);
    return open_with(spec, std::move(*list), loader);
  });
}

void flatout_loader_close(flatout_loader* loader) {
  if (loader == nullptr) return;
  guarded([&] {
    if (const auto open = data::abi::leave_loader(loader)) data::abi::close_loader(*open);
    return FLATOUT_OK;
  });
}

int64_t flatout_loader_samples(const flatout_loader* loader) {
  return asked_of_loader(loader, __func__, kNoNumber,
                         [](CLoader& of) { return of.open->samples->size(); });
}

int64_t flatout_loader_classes(const flatout_loader* loader) {
  return asked_of_loader(loader, __func__, kNoNumber,
                         [](CLoader& of) { return std::ssize(of.open->classes); });
}

const char* flatout_loader_class(const flatout_loader* loader, int64_t label) {
  return asked_of_loader<const char*>(loader, __func__, nullptr, [&](CLoader& of) {
    const auto& classes = of.open->classes;
    return label >= 0 && std::cmp_less(label, classes.size())
               ? classes[static_cast<std::size_t>(label)].c_str()
               : nullptr;
  });
}

const char* flatout_loader_name(flatout_loader* loader, int64_t sample) {
  return data::abi::text_of_loader(loader, __func__, [&](CLoader& of) -> const char* {
    const data::SampleList& source = *of.open->samples;
    if (sample < 0 || sample >= source.size()) return nullptr;
    of.name = source.name(sample);
    return of.name.c_str();
  });
}

int64_t flatout_loader_sample_bytes(const flatout_loader* loader) {
  return asked_of_loader(loader, __func__, kNoNumber, [](CLoader& of) {
    return static_cast<std::int64_t>(of.open->sample_bytes);
  });
}

void flatout_loader_shape(const flatout_loader* loader, int64_t shape[3]) {
  std::fill_n(shape, 3, 0);
  with_loader(loader, __func__, [&](CLoader& of) {
    if (of.open->recipe != nullptr) data::abi::sample_axes(of.open->recipe->chain.shape(), shape);
    return FLATOUT_OK;
  });
}

int flatout_loader_begin(flatout_loader* loader, uint32_t epoch, const int64_t* order,
                         int64_t count) {
  if (count < 0) return failed("flatout_loader_begin: fewer than no samples");
  return with_loader(loader, __func__, [&](CLoader& of) {
    return begin_told(of, [&] {
      if (order == nullptr) return begin_own(*of.open, epoch, 0);
      return begin_with(*of.open, epoch, {order, order + count});
    });
  });
}

int flatout_loader_resume(flatout_loader* loader, uint32_t epoch, int64_t drawn) {
  return with_loader(loader, __func__, [&](CLoader& of) {
    return begin_told(of, [&] { return begin_own(*of.open, epoch, drawn); });
  });
}

int64_t flatout_loader_drawn(const flatout_loader* loader) {
  return asked_of_loader(loader, __func__, kNoNumber, [](CLoader& of) { return of.open->drawn(); });
}

int flatout_loader_append(flatout_loader* loader, const int64_t* indices, int64_t count) {
  if (indices == nullptr || count < 0)
    return failed("flatout_loader_append: an argument is NULL, or fewer than no samples");
  return with_loader(loader, __func__,
                     [&](CLoader& of) { return append_to(*of.open, {indices, indices + count}); });
}

int flatout_loader_passed(flatout_loader* loader, const int64_t* indices, int64_t count) {
  if (indices == nullptr || count < 0)
    return failed("flatout_loader_passed: an argument is NULL, or fewer than no samples");
  return with_loader(loader, __func__, [&](CLoader& of) {
    return count_as_drawn(*of.open, {indices, indices + count});
  });
}

int flatout_loader_next(flatout_loader* loader, flatout_batch** batch) {
  if (batch == nullptr) return failed("flatout_loader_next: an argument is NULL");
  return with_loader(loader, __func__, [&](CLoader& of) {
    return data::abi::wakeable(of, [&](CLoader& open) { return next_told(open, batch); });
  });
}

int flatout_loader_set_threads(flatout_loader* loader, int threads) {
  return with_loader(loader, __func__, [&](CLoader& of) {
    const auto set = of.open->loader.set_threads(threads);
    return set ? FLATOUT_OK : failed(set.error().message);
  });
}

const char* flatout_loader_stats(flatout_loader* loader) {
  return data::abi::text_of_loader(loader, __func__, [](CLoader& of) {
    of.stats = data::abi::stats_json(*of.open);
    return of.stats.c_str();
  });
}

int64_t flatout_batch_size(const flatout_batch* batch) {
  return static_cast<int64_t>(batch->made.indices.size());
}
void* flatout_batch_data(flatout_batch* batch) { return batch->made.memory.get(); }
const int64_t* flatout_batch_labels(const flatout_batch* batch) { return batch->labels.data(); }
const float* flatout_batch_targets(const flatout_batch* batch) {
  return batch->targets.empty() ? nullptr : batch->targets.data();
}
int64_t flatout_batch_classes(const flatout_batch* batch) { return batch->classes; }
const int64_t* flatout_batch_indices(const flatout_batch* batch) {
  return batch->made.indices.data();
}

int64_t flatout_batch_arrays(const flatout_batch* batch) {
  return batch->buffer != nullptr ? std::ssize(batch->device_arrays) : std::ssize(batch->arrays);
}

int flatout_batch_array(flatout_batch* batch, int64_t number, flatout_array* array) {
  if (batch == nullptr || array == nullptr || number < 0 || number >= flatout_batch_arrays(batch))
    return failed("flatout_batch_array: an argument is NULL, or there is no such array");
  if (batch->buffer != nullptr) {
    *array = device_array(*batch, batch->device_arrays[static_cast<std::size_t>(number)]);
    return FLATOUT_OK;
  }
  const std::size_t samples = batch->made.indices.size();
  std::size_t begin = 0;
  for (int64_t i = 0; i < number; ++i)
    begin =
        data::aligned_array(begin + samples * batch->arrays[static_cast<std::size_t>(i)].bytes());
  const data::ArrayPart& part = batch->arrays[static_cast<std::size_t>(number)];
  *array = {.name = part.name,
            .type = data::name_of(part.type),
            .data = batch->made.memory.get() + begin,
            .axes = 1 + std::ssize(part.shape),
            .shape = {static_cast<int64_t>(samples)}};
  std::ranges::copy(part.shape, array->shape + 1);
  return FLATOUT_OK;
}

int64_t flatout_batch_bad(const flatout_batch* batch) { return std::ssize(batch->made.bad); }
int64_t flatout_batch_bad_place(const flatout_batch* batch, int64_t number) {
  const data::BadSample* bad = bad_of(*batch, number);
  return bad == nullptr ? -1 : static_cast<int64_t>(bad->place);
}
const char* flatout_batch_bad_reason(const flatout_batch* batch, int64_t number) {
  const data::BadSample* bad = bad_of(*batch, number);
  return bad == nullptr ? nullptr : bad->error.message.c_str();
}

void flatout_batch_free(flatout_batch* batch) { delete batch; }
