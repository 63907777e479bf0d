// What a cache is worth where reading a file takes long: the loading engine over a folder, each
// read of which sleeps as long as the answer of a storage far away would take. Prints a line of
// JSON an epoch for bench/data/slow_source.py.
//
//   data_slow_source FOLDER THREADS EPOCHS LATENCY_MS none|encoded|decoded
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "data/cache/cached_source.h"
#include "data/feed/image_maker.h"
#include "data/feed/loader.h"
#include "data/source/image_folder.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::uint64_t kBudgetBytes = std::uint64_t{4} << 30;
constexpr std::size_t kBatch = 32;
constexpr int kSide = 224;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "data_slow_source: %s\n", why.c_str());
  std::exit(1);
}

template <typename T>
T must(flatout::base::Result<T> result) {
  if (!result) stop(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class SlowSource final : public Source {
 public:
  SlowSource(std::unique_ptr<const Source> files, std::chrono::milliseconds latency)
      : files_(std::move(files)), latency_(latency) {}
  std::int64_t size() const override { return files_->size(); }
  std::int64_t label(std::int64_t index) const override { return files_->label(index); }
  std::string name(std::int64_t index) const override { return files_->name(index); }
  flatout::base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                         ReadBuffer& buffer) const override {
    std::this_thread::sleep_for(latency_);
    return files_->read(index, buffer);
  }

 private:
  std::unique_ptr<const Source> files_;
  std::chrono::milliseconds latency_;
};

std::shared_ptr<const ImageRecipe> recipe(const char* folder, int latency_ms,
                                          std::string_view keep) {
  std::unique_ptr<Source> source = std::make_unique<SlowSource>(
      must(open_image_folder(folder)).files, std::chrono::milliseconds(latency_ms));
  std::shared_ptr<cache::SampleMemory> memory;
  if (keep != "none") {
    memory = std::make_shared<cache::SampleMemory>(
        source->size(), cache::MemoryOptions{.budget_bytes = kBudgetBytes});
  }
  const bool decoded = keep == "decoded";
  if (memory && !decoded)
    source = std::make_unique<cache::CachedSource>(std::move(source), memory, nullptr);
  transform::ChainOptions options{.steps = {transform::RandomResizedCrop{.size = {kSide, kSide}},
                                            transform::RandomHorizontalFlip{}}};
  return std::make_shared<const ImageRecipe>(
      ImageRecipe{.source = std::move(source),
                  .chain = must(transform::Chain::make(options)),
                  .pictures = decoded ? memory : nullptr,
                  .memory = memory});
}

Loader loader_of(const std::shared_ptr<const ImageRecipe>& recipe, int threads) {
  const std::size_t bytes = recipe->chain.shape().bytes();
  Engine engine =
      must(Engine::start({.threads = threads, .sample_bytes = bytes, .batch_size = kBatch},
                         [recipe] { return std::make_unique<ImageMaker>(recipe); }));
  return {std::move(engine), bytes, {.batch_size = kBatch}};
}

// Images a second, from begin() to the last batch.
double epoch_rate(Loader& loader, std::int64_t samples, std::uint32_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  const auto began = std::chrono::steady_clock::now();
  must(loader.begin(epoch, std::move(order)));
  while (must(loader.next())) {
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return static_cast<double>(samples) / took.count();
}

int number(const char* text, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc() || *end != '\0' || value < least)
    stop(std::string(text) + " is no number from " + std::to_string(least));
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6)
    stop("usage: data_slow_source FOLDER THREADS EPOCHS LATENCY_MS none|encoded|decoded");
  const int latency_ms = number(argv[4], 0);
  const std::string_view keep = argv[5];
  if (keep != "none" && keep != "encoded" && keep != "decoded")
    stop(argv[5] + std::string(" is none of none, encoded and decoded"));
  const auto shared = recipe(argv[1], latency_ms, keep);
  Loader loader = loader_of(shared, number(argv[2], 1));
  for (int epoch = 0; epoch < number(argv[3], 1); ++epoch) {
    const double rate =
        epoch_rate(loader, shared->source->size(), static_cast<std::uint32_t>(epoch));
    const std::uint64_t kept = shared->memory ? shared->memory->stats().bytes : 0;
    std::printf(R"({"epoch": %d, "images_per_s": %.2f, "kept_bytes": %llu})"
                "\n",
                epoch, rate, static_cast<unsigned long long>(kept));
  }
  return 0;
}
