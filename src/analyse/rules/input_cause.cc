#include "analyse/rules/input_cause.h"

#include <algorithm>

#include "analyse/engine_work.h"
#include "analyse/rules/engine_cause.h"
#include "analyse/rules/judgement.h"

namespace flatout::analyse {
namespace {

// A stage is worth naming when it is a large part of the fetch.
constexpr double kStageWorthNaming = 0.3;

std::string mostly_in(const LoaderStats& loader) {
  if (loader.stages.empty()) return {};
  const run::StageShare& first = loader.stages.front();
  if (first.name == "other" || first.name == "collate") return {};
  if (first.share < kStageWorthNaming) return {};
  return ", mostly in " + first.name + " (" + percent(first.share) + ")";
}

std::string loader_words(const LoaderStats& loader) {
  std::string words = "num_workers=" + std::to_string(loader.num_workers.value_or(0));
  if (!loader.built_at.empty()) words += ", " + loader.built_at;
  return " (" + words + ")";
}

std::string workers_words(const LoaderStats& loader) {
  const int workers = loader.num_workers.value_or(static_cast<int>(loader.worker_pids.size()));
  const std::string noun = workers == 1 ? "the loader worker" : "the loader workers";
  return noun + loader_words(loader);
}

std::string verb(const LoaderStats& loader, const char* one, const char* many) {
  return loader.num_workers.value_or(2) == 1 ? one : many;
}

bool disk_shows(const LoaderStats& loader) {
  return loader.worker_disk_wait.value_or(0) >= kDiskWaitShows ||
         fetch_disk_bytes_per_s(loader).value_or(0) >= kDiskBytesPerSecondShow;
}

InputCause collate_cause(const LoaderStats& loader) {
  return {run::Cause::kCollate,
          "putting samples together (collate) takes " + percent(loader.collate_share.value_or(0)) +
              " of a batch's time" + loader_words(loader),
          1};
}

InputCause worker_cause(const LoaderStats& loader) {
  const double waiting = loader.waiting_share().value_or(0);
  if (waiting <= kDominates) {
    const double cpu = 1 - waiting;
    return {run::Cause::kWorkerCpu,
            workers_words(loader) + verb(loader, " spends ", " spend ") + percent(cpu) +
                " of each fetch computing" + mostly_in(loader),
            1};
  }
  if (disk_shows(loader)) {
    return {run::Cause::kStorageIo,
            workers_words(loader) + verb(loader, " waits", " wait") + " for the disk in " +
                percent(waiting) + " of each fetch" + mostly_in(loader),
            1};
  }
  // Without any reading of the disk, its absence is a guess.
  const bool measured = loader.worker_disk_wait || loader.disk_bytes;
  return {run::Cause::kRemoteWait,
          workers_words(loader) + verb(loader, " waits ", " wait ") + percent(waiting) +
              " of each fetch for something that is neither CPU nor disk" + mostly_in(loader),
          measured ? 1 : 0.7};
}

// Of the fetch, to be more than the first touch of a file.
constexpr double kNotableWait = 0.3;

// Most time in which a thread could run but has no core, for its CPU use to say anything.
constexpr double kCoreToItself = 0.1;

// Of a reader that only marks say anything of: does its thread work or wait?
std::string reader_words(const Analysis& analysis) {
  std::string words = "the program's own reader cannot keep up";
  const double wait = analysis.share(run::Phase::kDataWait);
  const auto& cores = analysis.contention.step_cores;
  if (!cores || wait <= kDominates) return words;
  // A thread without a core neither computes nor waits for its data.
  if (analysis.contention.run_delay.value_or(1) > kCoreToItself) return words;
  // Cores it used at the most, if all the rest used none, and at the least, if that used all.
  const double most = *cores / wait;
  const double least = (*cores - (1 - wait) * std::max(1, analysis.cpus)) / wait;
  if (most < 1 - kDominates) return words + ": it waits rather than computes";
  if (least > kDominates) return words + ": it computes rather than waits";
  return words;
}

}  // namespace

std::optional<double> ready_share(const LoaderStats& loader) {
  std::int64_t waited = 0;
  std::int64_t ready = 0;
  for (const Delivery& delivery : loader.deliveries) {
    waited += delivery.wait_ns;
    ready += delivery.ready_wait_ns;
  }
  if (waited <= 0) return std::nullopt;
  return static_cast<double>(ready) / static_cast<double>(waited);
}

std::optional<double> workers_busy(const LoaderStats& loader) {
  double busy = 0;
  double all = 0;
  for (const BatchCost& batch : loader.batches) {
    const auto wall = static_cast<double>(batch.wall_ns());
    busy += wall;
    all += wall + static_cast<double>(batch.idle_ns);
  }
  if (all <= 0) return std::nullopt;
  return busy / all;
}

std::optional<double> fetch_disk_bytes_per_s(const LoaderStats& loader) {
  if (loader.wall_ns <= 0 || !loader.disk_bytes) return std::nullopt;
  return static_cast<double>(*loader.disk_bytes) * 1e9 / loader.wall_ns;
}

InputCause find_input_cause(const Analysis& analysis) {
  if (analysis.loader && analysis.loader->engine == "native") return engine_cause(analysis);
  if (analysis.marks_only) return {run::Cause::kNone, reader_words(analysis), 0.8};
  if (!analysis.loader)
    return {run::Cause::kNone, "the loader cannot keep up; its batches were not seen", 0.6};
  const LoaderStats& loader = *analysis.loader;
  const bool collates = loader.collate_share.value_or(0) > kDominates;
  const bool single = loader.in_step_thread || loader.num_workers == 0;
  if (single) {
    if (collates) return collate_cause(loader);
    return {run::Cause::kSingleProcessLoading,
            "samples are read and transformed inside the training process" + loader_words(loader) +
                mostly_in(loader),
            1};
  }
  const double ready = ready_share(loader).value_or(0);
  if (ready > kDominates && workers_busy(loader).value_or(0) <= kWorkersBusy) {
    return {run::Cause::kIpcTransfer,
            "finished batches spend " + percent(ready) +
                " of that time on the way from the workers to the training process" +
                loader_words(loader),
            1};
  }
  if (collates) return collate_cause(loader);
  if (!loader.sample_cpu_share) {
    return {run::Cause::kNone,
            workers_words(loader) + " cannot keep up; their batches were not seen", 0.6};
  }
  return worker_cause(loader);
}

// Its samples wait for storage: that is the cause, or a part of what the fetch in the training
// process waits for.
bool waits_for_storage(const LoaderStats& loader, run::Cause cause) {
  if (cause == run::Cause::kStorageIo) return true;
  return loader.waiting_share().value_or(0) >= kNotableWait && disk_shows(loader);
}

run::InputDetail input_detail(const Analysis& analysis, run::Cause cause) {
  if (!analysis.loader) return {};
  const LoaderStats& loader = *analysis.loader;
  run::InputDetail detail = {.waits_for_storage = waits_for_storage(loader, cause),
                             .core_wait = loader.fetch_run_delay};
  if (loader.engine == "native" && loader.engine_work) {
    detail.engine = shares_of(*loader.engine_work);
    if (detail.engine) detail.engine_part = engine_part(analysis);
  }
  return detail;
}

std::vector<run::Evidence> loader_evidence(const Analysis& analysis) {
  std::vector<run::Evidence> evidence;
  if (!analysis.loader) return evidence;
  const LoaderStats& loader = *analysis.loader;
  const auto add = [&](const char* metric, std::optional<double> value, const char* unit,
                       std::optional<double> threshold = std::nullopt) {
    if (!value) return;
    evidence.push_back(steady_evidence(analysis, metric, *value, unit));
    evidence.back().threshold = threshold;
  };
  if (loader.num_workers) add("loader.workers", *loader.num_workers, "count");
  add("loader.sample_wall", loader.sample_ms, "ms");
  add("loader.fetch_cpu_share", loader.sample_cpu_share, "ratio");
  add("loader.fetch_waiting_share", loader.waiting_share(), "ratio", kDominates);
  add("loader.collate_share", loader.collate_share, "ratio", kDominates);
  add("loader.ready_share_of_wait", ready_share(loader), "ratio", kDominates);
  if (!loader.in_step_thread) {
    add("loader.workers_busy", workers_busy(loader), "ratio", kWorkersBusy);
  }
  add("loader.fetch_run_delay", loader.fetch_run_delay, "ratio");
  add("loader.disk_wait", loader.worker_disk_wait, "ratio", kDiskWaitShows);
  add("loader.fetch_disk_read", fetch_disk_bytes_per_s(loader), "bytes_per_s",
      kDiskBytesPerSecondShow);
  add("loader.max_rate", loader.max_samples_per_s, "samples_per_s");
  if (loader.engine == "native") add_engine_evidence(analysis, evidence);
  return evidence;
}

}  // namespace flatout::analyse
