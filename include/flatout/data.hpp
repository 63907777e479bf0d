// flatout/data.hpp: flatout/data.h for C++11 and later. Header only; what cannot be done is thrown
// as flatout::LoaderError, and everything is closed and freed by itself.
//
//     flatout::Loader loader("{\"images\":\"train/\",\"shuffle\":true,\"batch_size\":64,"
//                            "
//                            \"steps\":[{\"random_resized_crop\":224},\"random_horizontal_flip\"]}");
//     for (unsigned epoch = 0; epoch < 90; ++epoch) {
//       loader.begin(epoch);
//       while (flatout::LoadedBatch batch = loader.next())
//         train(batch.data<float>(), batch.labels(), batch.size());
//     }
#ifndef FLATOUT_DATA_HPP
#define FLATOUT_DATA_HPP

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "flatout/data.h"

namespace flatout {

// Its text names the file and the sample, or what the description has wrong.
class LoaderError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A batch, or none at the end of an epoch. Movable; may be destroyed by any thread, also after its
// loader. What it points to lives as long as it does.
class LoadedBatch {
 public:
  explicit LoadedBatch(flatout_batch* batch) : batch_(batch, &flatout_batch_free) {}

  explicit operator bool() const noexcept { return batch_ != nullptr; }
  std::size_t size() const noexcept {
    return static_cast<std::size_t>(flatout_batch_size(batch_.get()));
  }

  // Samples one after the other. `Number` must be what the description says: float for "float32".
  template <typename Number>
  Number* data() const noexcept {
    return static_cast<Number*>(flatout_batch_data(batch_.get()));
  }
  const std::int64_t* labels() const noexcept { return flatout_batch_labels(batch_.get()); }
  // Where the description has "mix": size() rows of classes() shares; else NULL and 0.
  const float* targets() const noexcept { return flatout_batch_targets(batch_.get()); }
  std::int64_t classes() const noexcept { return flatout_batch_classes(batch_.get()); }
  // Of "tokens" or "arrays", or on a device: how many arrays a batch has, and one of them.
  std::int64_t arrays() const noexcept { return flatout_batch_arrays(batch_.get()); }
  flatout_array array(std::int64_t number) const {
    flatout_array out{};
    if (flatout_batch_array(batch_.get(), number, &out) != FLATOUT_OK)
      throw LoaderError(flatout_data_error());
    return out;
  }
  // The CUDA device that it is on, -1: none; `stream` waits for its copy.
  std::int64_t device() const noexcept { return flatout_batch_device(batch_.get()); }
  void wait(void* stream) {
    if (flatout_batch_wait(batch_.get(), stream) != FLATOUT_OK)
      throw LoaderError(flatout_data_error());
  }
  const std::int64_t* indices() const noexcept { return flatout_batch_indices(batch_.get()); }

 private:
  std::unique_ptr<flatout_batch, decltype(&flatout_batch_free)> batch_;
};

// Calls of several threads take turns. After close(), which any thread may call, and of a loader
// that was moved from: what can fail throws, numbers are -1.
class Loader {
 public:
  explicit Loader(const std::string& spec) : loader_(open(spec), &flatout_loader_close) {}

  std::int64_t samples() const noexcept { return flatout_loader_samples(loader_.get()); }
  std::array<std::int64_t, 3> shape() const noexcept {
    std::array<std::int64_t, 3> out{};
    flatout_loader_shape(loader_.get(), out.data());
    return out;
  }
  void begin(std::uint32_t epoch) { check(flatout_loader_begin(loader_.get(), epoch, nullptr, 0)); }
  // Behind the samples that all ranks together had of that epoch.
  void resume(std::uint32_t epoch, std::int64_t drawn) {
    check(flatout_loader_resume(loader_.get(), epoch, drawn));
  }
  std::int64_t drawn() const noexcept { return flatout_loader_drawn(loader_.get()); }

  // After an error the next call continues after that batch.
  LoadedBatch next() {
    flatout_batch* batch = nullptr;
    const int status = flatout_loader_next(loader_.get(), &batch);
    if (status != FLATOUT_END) check(status);
    return LoadedBatch(batch);
  }
  // "cuda", "cuda:1"; before the first epoch.
  void to_device(const std::string& device) {
    check(flatout_loader_to_device(loader_.get(), device.c_str()));
  }
  void set_threads(int threads) { check(flatout_loader_set_threads(loader_.get(), threads)); }
  std::string stats() {
    const char* told = flatout_loader_stats(loader_.get());
    if (told == nullptr) throw LoaderError(flatout_data_error());
    return told;
  }
  // Ends its threads before the destructor does; wakes who waits in next().
  void close() noexcept { flatout_loader_close(loader_.get()); }

 private:
  static flatout_loader* open(const std::string& spec) {
    flatout_loader* out = nullptr;
    check(flatout_loader_open(spec.c_str(), &out));
    return out;
  }
  static void check(int status) {
    if (status != FLATOUT_OK) throw LoaderError(flatout_data_error());
  }

  std::unique_ptr<flatout_loader, decltype(&flatout_loader_close)> loader_;
};

// Told after each sample: done of all, and how many were left out; false ends packing, which the
// same call of pack() goes on with.
using PackProgress = std::function<bool(std::int64_t done, std::int64_t total, std::int64_t left)>;

// Rewrites a set into a folder of shards, which "packed" in a loader's description reads; `spec` is
// that of flatout_pack(). Returns what was done, as JSON. What `progress` throws comes out here.
inline std::string pack(const std::string& spec, const PackProgress& progress = nullptr) {
  struct Told {
    const PackProgress& progress;
    std::exception_ptr thrown;
  } told{progress, nullptr};
  const flatout_pack_progress tell = [](void* context, std::int64_t done, std::int64_t total,
                                        std::int64_t left) -> int {
    Told& to = *static_cast<Told*>(context);
    try {
      return to.progress(done, total, left) ? 0 : 1;
    } catch (...) {
      to.thrown = std::current_exception();
      return 1;
    }
  };
  const char* report = nullptr;
  const int status = flatout_pack(spec.c_str(), progress ? tell : nullptr, &told, &report);
  if (told.thrown) std::rethrow_exception(told.thrown);
  if (status != FLATOUT_OK) throw LoaderError(flatout_data_error());
  return report;
}

}  // namespace flatout

#endif  // FLATOUT_DATA_HPP
