// Facts (run/facts.h) as values. A fact that is not the JSON it should be is
// skipped: facts come from the observed process.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/event.h"
#include "run/timeline.h"

namespace flatout::analyse {

struct LoaderFact {
  std::uint32_t loader = 0;  // 0 = nothing was stated about it
  std::optional<int> workers;
  std::optional<int> prefetch_factor;
  std::optional<bool> pin_memory, persistent_workers, iterable;
  std::optional<double> batch_size;
  std::optional<double> dataset_len;
  std::string dataset;                          // class name, "" = not known
  std::string engine;                           // "native", "" = torch's own
  std::string cache;                            // "encoded", "decoded"; "" = none
  std::optional<std::int64_t> fetched_batches;  // by Python, of those of the native engine
  std::string fetched_reason;                   // of the first, "" = there was none
  std::optional<std::string> native_refusal;    // "" = it has a native form
  std::string built_at;                         // "file:line", "" = not known
};

struct IteratorFact {
  std::uint32_t iterator = 0;
  std::uint32_t loader = 0;
  std::vector<std::int32_t> worker_pids;  // index = worker id
};

struct EnvironmentFact {
  std::string torch, python, cuda, device;  // "" = not stated
  std::optional<int> intraop_threads;
};

struct PrecisionFact {
  std::string autocast;  // "bfloat16", "float16", "off"; "" = not stated
  std::optional<bool> tf32_matmul, tf32_cudnn;
  std::string matmul_precision;  // "highest", "high", "medium"
};

// Empty where the optimizer has no such choice.
struct OptimizerFact {
  std::string name;
  std::string built_at;  // "file:line", "" = not known
  std::optional<bool> fused, foreach;
  std::optional<int> tensors;
};

struct ModelFact {
  std::string name;
  std::string attention;  // "" = not stated
  std::optional<bool> compiled, conv2d;
  std::optional<double> parameters;
  double float32_share = 0;  // of the parameters whose type is known
};

// A place that copies between host and device.
struct CopyFact {
  std::string at;  // "file:line"
  bool pinned = false;
  double bytes = 0;
};

// A backward of DistributedDataParallel, as that measured it on the device.
struct DdpFact {
  int iteration = 0;
  double waited_ns = 0;  // for communication that no computation overlapped
};

// What was not timed on a device, because a CUDA graph was being captured.
struct CapturesFact {
  std::int64_t boundaries = 0;  // of phases
  std::int64_t copies = 0;
};

struct RankFact {
  int rank = 0;
  int world_size = 1;
};

// transformers.Trainer or Lightning.
struct FrameworkFact {
  std::optional<int> accumulated;  // batches to an update
};

// An exception that nobody caught.
struct FailureFact {
  std::int64_t t_ns = 0;
  std::string type, message, at;  // "" = not known
};

struct DeviceFact {
  int index = 0;
  std::string name;
};

std::vector<LoaderFact> loader_facts(std::span<const run::Fact> facts);
std::vector<IteratorFact> iterator_facts(std::span<const run::Fact> facts);
std::optional<EnvironmentFact> environment_fact(std::span<const run::Fact> facts);
// Of imports until torch was first used; absent where they were not timed.
std::optional<double> import_seconds(std::span<const run::Fact> facts);
std::vector<DeviceFact> device_facts(std::span<const run::Fact> facts);
// "cpu", "cuda:0": where the first root module lives.
std::optional<std::string> model_device(std::span<const run::Fact> facts);

std::optional<PrecisionFact> precision_fact(std::span<const run::Fact> facts);  // the latest
std::optional<OptimizerFact> optimizer_fact(std::span<const run::Fact> facts);  // the first
std::optional<ModelFact> model_fact(std::span<const run::Fact> facts);          // the first
std::vector<CopyFact> copy_facts(std::span<const run::Fact> facts);
std::vector<DdpFact> ddp_facts(std::span<const run::Fact> facts);
std::optional<CapturesFact> captures_fact(std::span<const run::Fact> facts);  // the latest
std::optional<RankFact> rank_fact(std::span<const run::Fact> facts);
std::optional<FrameworkFact> framework_fact(std::span<const run::Fact> facts);  // the latest

std::optional<FailureFact> failure_fact(std::span<const run::Fact> facts);    // the latest
std::optional<std::int64_t> stopped_after(std::span<const run::Fact> facts);  // steps

// Lines for the user.
std::vector<std::string> problem_facts(std::span<const run::Fact> facts);

// The first that any process of the run reported; "" without one.
std::string first_problem(const run::Timeline& timeline);

}  // namespace flatout::analyse
