// The part of flatout/data.h that is about loaders.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/abi/batch_handle.h"
#include "data/abi/guarded.h"
#include "data/abi/loader_handle.h"
#include "data/open/figures.h"
#include "data/open/open_loader.h"
#include "data/source/blob_list.h"
#include "data/source/file_list.h"
#include "data/spec/loader_spec.h"
#include "flatout/data.h"

namespace data = flatout::data;

namespace {

constexpr std::int64_t kNoNumber = -1;  // of a loader that is not open

using data::abi::asked_of_loader;
using data::abi::failed;
using data::abi::guarded;
using data::abi::LoaderHandle;
using data::abi::status_of;
using data::abi::with_loader;

int open_with(const char* spec, std::unique_ptr<data::Source> given, flatout_loader** loader) {
  const auto read = data::spec::read_loader_spec(spec);
  if (!read) return failed(read.error().message);
  auto open = data::open_loader(*read, std::move(given));
  if (!open) return failed(open.error().message);
  *loader = data::abi::enter_loader(std::make_shared<LoaderHandle>(std::move(*open)));
  return FLATOUT_OK;
}

int next_of(data::OpenLoader& open, flatout_batch** batch) {
  auto ready = open.next();
  if (!ready) return failed(ready.error().message);
  if (*ready == nullptr) return FLATOUT_END;
  *batch = new flatout_batch{std::move(**ready)};
  return FLATOUT_OK;
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
                         [](LoaderHandle& of) { return of.open->samples->size(); });
}

int64_t flatout_loader_classes(const flatout_loader* loader) {
  return asked_of_loader(loader, __func__, kNoNumber,
                         [](LoaderHandle& of) { return std::ssize(of.open->classes); });
}

const char* flatout_loader_class(const flatout_loader* loader, int64_t label) {
  return asked_of_loader<const char*>(loader, __func__, nullptr, [&](LoaderHandle& of) {
    const auto& classes = of.open->classes;
    return label >= 0 && std::cmp_less(label, classes.size())
               ? classes[static_cast<std::size_t>(label)].c_str()
               : nullptr;
  });
}

const char* flatout_loader_name(flatout_loader* loader, int64_t sample) {
  return data::abi::text_of_loader(loader, __func__, [&](LoaderHandle& of) -> const char* {
    const data::SampleList& source = *of.open->samples;
    if (sample < 0 || sample >= source.size()) return nullptr;
    of.name = source.name(sample);
    return of.name.c_str();
  });
}

int64_t flatout_loader_sample_bytes(const flatout_loader* loader) {
  return asked_of_loader(loader, __func__, kNoNumber, [](LoaderHandle& of) {
    return static_cast<std::int64_t>(of.open->sample_bytes);
  });
}

void flatout_loader_shape(const flatout_loader* loader, int64_t shape[3]) {
  std::fill_n(shape, 3, 0);
  with_loader(loader, __func__, [&](LoaderHandle& of) {
    if (of.open->recipe != nullptr) std::ranges::copy(of.open->recipe->chain.shape().axes(), shape);
    return FLATOUT_OK;
  });
}

int flatout_loader_begin(flatout_loader* loader, uint32_t epoch, const int64_t* order,
                         int64_t count) {
  if (count < 0) return failed("flatout_loader_begin: fewer than no samples");
  return with_loader(loader, __func__, [&](LoaderHandle& of) {
    return status_of(order == nullptr ? of.open->begin_own(epoch, 0)
                                      : of.open->begin_with(epoch, {order, order + count}));
  });
}

int flatout_loader_resume(flatout_loader* loader, uint32_t epoch, int64_t drawn) {
  return with_loader(loader, __func__,
                     [&](LoaderHandle& of) { return status_of(of.open->begin_own(epoch, drawn)); });
}

int64_t flatout_loader_drawn(const flatout_loader* loader) {
  return asked_of_loader(loader, __func__, kNoNumber,
                         [](LoaderHandle& of) { return of.open->drawn(); });
}

int flatout_loader_append(flatout_loader* loader, const int64_t* indices, int64_t count) {
  if (indices == nullptr || count < 0)
    return failed("flatout_loader_append: an argument is NULL, or fewer than no samples");
  return with_loader(loader, __func__, [&](LoaderHandle& of) {
    return status_of(of.open->append({indices, indices + count}));
  });
}

int flatout_loader_passed(flatout_loader* loader, const int64_t* indices, int64_t count) {
  if (indices == nullptr || count < 0)
    return failed("flatout_loader_passed: an argument is NULL, or fewer than no samples");
  return with_loader(loader, __func__, [&](LoaderHandle& of) {
    return status_of(of.open->count_as_drawn({indices, indices + count}));
  });
}

int flatout_loader_next(flatout_loader* loader, flatout_batch** batch) {
  if (batch == nullptr) return failed("flatout_loader_next: an argument is NULL");
  return with_loader(loader, __func__, [&](LoaderHandle& of) {
    return data::abi::wakeable(of, [&](LoaderHandle& open) { return next_of(*open.open, batch); });
  });
}

int flatout_loader_set_threads(flatout_loader* loader, int threads) {
  return with_loader(loader, __func__, [&](LoaderHandle& of) {
    return status_of(of.open->loader.set_threads(threads));
  });
}

const char* flatout_loader_stats(flatout_loader* loader) {
  return data::abi::text_of_loader(loader, __func__, [](LoaderHandle& of) {
    of.stats = data::stats_json(*of.open);
    return of.stats.c_str();
  });
}
