#include "app/engine_bench.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace flatout::app {
namespace {

using base::ErrorCode;
using base::Result;
using nlohmann::json;

constexpr std::size_t kOrder = std::size_t{1} << 18;  // samples: more than a second ever takes
constexpr std::int64_t kMostBatch = 32;  // larger ones change the memory, and hardly the speed
constexpr base::DurationNs kWarmUp = 3 * base::kSecond / 10;
constexpr base::DurationNs kLeastCounted = base::kSecond / 10;

struct Files {
  std::vector<std::string> paths;
  std::vector<std::int64_t> places;  // three a sample; empty: a file each

  std::size_t samples() const { return places.empty() ? paths.size() : places.size() / 3; }
};

// Where reading takes as long as others and a network want; FUSE may be either.
bool remote(const std::string& path) {
  constexpr std::array<std::uint32_t, 14> kRemote = {
      0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x65735546, 0x00C36400, 0x01021997,
      0x5346414F, 0x73757245, 0x0BD00BD0, 0x47504653, 0x19830326, 0x7461636F, 0x01161970};
  struct statfs info{};
  if (::statfs(path.c_str(), &info) != 0) return false;
  return std::ranges::find(kRemote, static_cast<std::uint32_t>(info.f_type)) != kRemote.end();
}

bool is_file(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

Result<Files> files_of(const json& job) {
  Files out;
  out.paths = job.value("files", std::vector<std::string>{});
  for (const auto& place : job.value("places", std::vector<std::array<std::int64_t, 3>>{})) {
    out.places.insert(out.places.end(), place.begin(), place.end());
  }
  const auto all = out.paths.size();
  if (out.places.empty()) {
    std::erase_if(out.paths, [](const std::string& path) { return !is_file(path); });
  } else if (!std::ranges::all_of(out.paths, is_file)) {
    out.paths.clear();  // places name them by number
  }
  if (all == 0 || out.paths.empty() || out.paths.size() * 2 < all) {
    return base::fail(ErrorCode::kNotFound, "its files are gone");
  }
  if (std::ranges::any_of(out.paths, remote)) {
    return base::fail(ErrorCode::kUnavailable,
                      "its files are on a network or FUSE file system, whose speed one second "
                      "does not show");
  }
  return out;
}

// What most image classifiers are trained with, where the program's own transforms are not known.
json recipe(const std::array<int, 2>& size) {
  return {{"dtype", "float32"},
          {"steps", {{{"random_resized_crop", {{"size", size}}}}, "random_horizontal_flip"}},
          {"normalize", {{"mean", {0.485, 0.456, 0.406}}, {"std", {0.229, 0.224, 0.225}}}}};
}

json spec_of(const json& job) {
  json spec = job.contains("spec") ? job.at("spec") : recipe(job.at("size"));
  spec["batch_size"] =
      std::clamp<std::int64_t>(spec.value("batch_size", kMostBatch), 1, kMostBatch);
  // Threads as where it makes a training's batches; a number that is tuned would not be one yet.
  spec["threads"] = 0;
  spec["tune"] = false;
  spec["ahead"] = 4;
  spec["tell_run"] = false;
  spec["on_bad_sample"] = "skip";
  spec.erase("cache");
  spec.erase("shuffle");
  return spec;
}

base::DurationNs cpu_ns() {
  rusage used{};
  (void)::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return time.tv_sec * base::kSecond + time.tv_usec * (base::kSecond / 1'000'000);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

class Bench {
 public:
  Bench(const DataLibrary& library, const base::Clock& clock)
      : library_(library),
        clock_(clock),
        begin_(clock.monotonic()),
        loader_(nullptr, library.close) {}

  Result<run::EngineSpeed> run(const Files& files, const std::string& spec);

 private:
  Result<void> open(const Files& files, const std::string& spec);
  std::unexpected<base::Error> failed() const {
    return base::fail(ErrorCode::kInvalid, library_.error());
  }

  const DataLibrary& library_;
  const base::Clock& clock_;
  const base::TimeNs begin_;
  std::unique_ptr<flatout_loader, decltype(&flatout_loader_close)> loader_;
};

Result<void> Bench::open(const Files& files, const std::string& spec) {
  std::vector<const char*> paths;
  for (const std::string& path : files.paths) paths.push_back(path.c_str());
  const auto samples = static_cast<std::int64_t>(files.samples());
  const std::vector<std::int64_t> labels(files.samples(), 0);
  flatout_loader* opened = nullptr;
  const int status =
      files.places.empty()
          ? library_.open_files(spec.c_str(), paths.data(), labels.data(), samples, &opened)
          : library_.open_blobs(spec.c_str(), paths.data(), std::ssize(paths), files.places.data(),
                                labels.data(), samples, &opened);
  if (status != FLATOUT_OK) return failed();
  loader_.reset(opened);
  // One epoch that does not end: at its end the threads would wait for each other.
  std::vector<std::int64_t> order(kOrder);
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int64_t>(i % files.samples());
  }
  if (library_.begin(opened, 0, order.data(), std::ssize(order)) != FLATOUT_OK) return failed();
  return {};
}

Result<run::EngineSpeed> Bench::run(const Files& files, const std::string& spec) {
  if (auto done = open(files, spec); !done) return std::unexpected(done.error());
  std::int64_t counted = 0;
  base::TimeNs from = 0;
  base::DurationNs cpu_before = 0;
  for (;;) {
    flatout_batch* batch = nullptr;
    const int status = library_.next(loader_.get(), &batch);
    if (status != FLATOUT_OK && status != FLATOUT_END) return failed();
    const base::TimeNs now = clock_.monotonic();
    const std::int64_t came = batch != nullptr ? library_.batch_size(batch) : 0;
    if (batch != nullptr) library_.batch_free(batch);
    if (from != 0) counted += came;
    if (from == 0 && now - begin_ >= kWarmUp) {
      from = now;
      cpu_before = cpu_ns();
    }
    const bool enough =
        now - begin_ >= kEngineBench && from != 0 && now - from >= kLeastCounted && counted > 0;
    if (!enough && status == FLATOUT_OK) continue;
    if (from == 0 || now <= from || counted == 0) {
      return base::fail(ErrorCode::kUnavailable, "none of its files could be read");
    }
    const auto stats = json::parse(library_.stats(loader_.get()), nullptr, false);
    const double used_ms = static_cast<double>(cpu_ns() - cpu_before) / base::kMillisecond;
    return run::EngineSpeed{
        .samples_per_s =
            static_cast<double>(counted) * base::kSecond / static_cast<double>(now - from),
        .cpu_ms = std::max(1e-6, used_ms / static_cast<double>(counted)),
        .threads = std::max(1, stats.is_object() ? stats.value("threads", 1) : 1),
        .seconds = static_cast<double>(now - from) / base::kSecond,
        .files = static_cast<int>(files.samples())};
  }
}

}  // namespace

Result<run::EngineSpeed> bench_engine(const DataLibrary& library, const EngineJob& job,
                                      const base::Clock& clock) {
  const json parsed = json::parse(job, nullptr, /*allow_exceptions=*/false);
  try {
    if (!parsed.is_object()) return base::fail(ErrorCode::kInvalid, "the job is no JSON object");
    const auto files = files_of(parsed);
    if (!files) return std::unexpected(files.error());
    const std::string spec = spec_of(parsed).dump(-1, ' ', false, json::error_handler_t::replace);
    auto speed = Bench(library, clock).run(*files, spec);
    if (speed && !parsed.contains("spec")) speed->size = parsed.at("size");
    return speed;
  } catch (const json::exception& problem) {
    return base::fail(ErrorCode::kInvalid,
                      std::string("the job is of another shape: ") + problem.what());
  }
}

}  // namespace flatout::app
