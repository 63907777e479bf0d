#include "analyse/fact_reader.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "run/facts.h"

namespace flatout::analyse {
namespace {

using nlohmann::json;

// Every object stated under `key`.
std::vector<json> objects(std::span<const run::Fact> facts, std::string_view key) {
  std::vector<json> found;
  for (const run::Fact& fact : facts) {
    if (fact.key != key) continue;
    json value = json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (value.is_object()) found.push_back(std::move(value));
  }
  return found;
}

std::optional<double> number(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number()) return std::nullopt;
  return it->get<double>();
}

std::optional<int> integer(const json& object, const char* key) {
  const std::optional<double> value = number(object, key);
  if (!value || *value < 0 || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<bool> boolean(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_boolean()) return std::nullopt;
  return it->get<bool>();
}

std::string text(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

}  // namespace

std::vector<LoaderFact> loader_facts(std::span<const run::Fact> facts) {
  std::vector<LoaderFact> loaders;
  for (const json& object : objects(facts, run::facts::kLoader)) {
    LoaderFact fact;
    fact.loader = static_cast<std::uint32_t>(integer(object, "loader").value_or(0));
    fact.workers = integer(object, "workers");
    fact.prefetch_factor = integer(object, "prefetch_factor");
    fact.pin_memory = boolean(object, "pin_memory");
    fact.persistent_workers = boolean(object, "persistent_workers");
    fact.iterable = boolean(object, "iterable");
    fact.batch_size = number(object, "batch_size");
    fact.dataset_len = number(object, "dataset_len");
    fact.dataset = text(object, "dataset");
    fact.engine = text(object, "engine");
    fact.cache = text(object, "cache");
    fact.fetched_batches = integer(object, "fetched_batches");
    fact.fetched_reason = text(object, "fetched_reason");
    if (object.contains("native_refusal")) fact.native_refusal = text(object, "native_refusal");
    fact.built_at = text(object, "built_at");
    loaders.push_back(std::move(fact));
  }
  return loaders;
}

std::vector<IteratorFact> iterator_facts(std::span<const run::Fact> facts) {
  std::vector<IteratorFact> iterators;
  for (const json& object : objects(facts, run::facts::kIterator)) {
    IteratorFact fact;
    fact.iterator = static_cast<std::uint32_t>(integer(object, "iterator").value_or(0));
    fact.loader = static_cast<std::uint32_t>(integer(object, "loader").value_or(0));
    const auto pids = object.find("worker_pids");
    if (pids != object.end() && pids->is_array()) {
      for (const json& pid : *pids) {
        if (pid.is_number_integer()) fact.worker_pids.push_back(pid.get<std::int32_t>());
      }
    }
    iterators.push_back(std::move(fact));
  }
  return iterators;
}

std::optional<EnvironmentFact> environment_fact(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kEnvironment);
  if (found.empty()) return std::nullopt;
  EnvironmentFact fact;
  fact.torch = text(found.back(), "torch");
  fact.python = text(found.back(), "python");
  fact.cuda = text(found.back(), "cuda");
  fact.device = text(found.back(), "device");
  fact.intraop_threads = integer(found.back(), "intraop_threads");
  return fact;
}

std::optional<double> import_seconds(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kImports);
  return found.empty() ? std::nullopt : number(found.back(), "seconds");
}

std::vector<DeviceFact> device_facts(std::span<const run::Fact> facts) {
  std::vector<DeviceFact> devices;
  const std::vector<json> found = objects(facts, run::facts::kDevices);
  if (found.empty()) return devices;
  const auto list = found.back().find("devices");
  if (list == found.back().end() || !list->is_array()) return devices;
  for (const json& object : *list) {
    if (!object.is_object()) continue;
    devices.push_back({integer(object, "index").value_or(0), text(object, "name")});
  }
  return devices;
}

std::optional<std::string> model_device(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kModel);
  if (found.empty()) return std::nullopt;
  std::string device = text(found.front(), "device");
  if (device.empty()) return std::nullopt;
  return device;
}

std::optional<PrecisionFact> precision_fact(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kPrecision);
  if (found.empty()) return std::nullopt;
  PrecisionFact fact;
  fact.autocast = text(found.back(), "autocast");
  fact.tf32_matmul = boolean(found.back(), "tf32_matmul");
  fact.tf32_cudnn = boolean(found.back(), "tf32_cudnn");
  fact.matmul_precision = text(found.back(), "float32_matmul_precision");
  return fact;
}

std::optional<OptimizerFact> optimizer_fact(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kOptimizer);
  if (found.empty()) return std::nullopt;
  OptimizerFact fact;
  fact.name = text(found.front(), "class");
  fact.built_at = text(found.front(), "built_at");
  fact.fused = boolean(found.front(), "fused");
  fact.foreach = boolean(found.front(), "foreach");
  fact.tensors = integer(found.front(), "tensors");
  return fact;
}

std::optional<ModelFact> model_fact(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kModel);
  if (found.empty()) return std::nullopt;
  ModelFact fact;
  fact.name = text(found.front(), "class");
  fact.compiled = boolean(found.front(), "compiled");
  fact.conv2d = boolean(found.front(), "conv2d");
  fact.attention = text(found.front(), "attention");
  fact.parameters = number(found.front(), "parameters");
  const auto types = found.front().find("dtypes");
  if (types == found.front().end() || !types->is_object()) return fact;
  double all = 0;
  for (const auto& [type, count] : types->items()) {
    if (count.is_number()) all += std::max(0.0, count.get<double>());
  }
  if (all > 0) fact.float32_share = number(*types, "float32").value_or(0) / all;
  return fact;
}

std::optional<FrameworkFact> framework_fact(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kFramework);
  if (found.empty()) return std::nullopt;
  FrameworkFact fact;
  const auto told = found.back().find("args");
  if (told == found.back().end() || !told->is_object()) return fact;
  fact.accumulated = integer(*told, "gradient_accumulation_steps");
  if (!fact.accumulated) fact.accumulated = integer(*told, "accumulate_grad_batches");
  return fact;
}

std::vector<CopyFact> copy_facts(std::span<const run::Fact> facts) {
  std::vector<CopyFact> copies;
  for (const json& object : objects(facts, run::facts::kCopy)) {
    const std::optional<bool> pinned = boolean(object, "pinned");
    if (text(object, "phase") != "h2d" || !pinned) continue;
    copies.push_back({text(object, "at"), *pinned, number(object, "bytes").value_or(0)});
  }
  return copies;
}

std::vector<DdpFact> ddp_facts(std::span<const run::Fact> facts) {
  std::vector<DdpFact> found;
  for (const json& object : objects(facts, run::facts::kDdp)) {
    const std::optional<int> iteration = integer(object, "iteration");
    const std::optional<double> waited_ns = number(object, "waited_ns");
    if (iteration && waited_ns && *waited_ns >= 0) found.push_back({*iteration, *waited_ns});
  }
  return found;
}

std::optional<CapturesFact> captures_fact(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kCaptures);
  if (found.empty()) return std::nullopt;
  const auto count = [&](const char* key) {
    return std::max(0, integer(found.back(), key).value_or(0));
  };
  return CapturesFact{count("boundaries"), count("copies")};
}

std::optional<RankFact> rank_fact(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kRank);
  if (found.empty()) return std::nullopt;
  const std::optional<int> rank = integer(found.back(), "rank");
  if (!rank) return std::nullopt;
  return RankFact{*rank, integer(found.back(), "world_size").value_or(1)};
}

std::optional<FailureFact> failure_fact(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kFailure);
  if (found.empty()) return std::nullopt;
  FailureFact fact;
  for (const run::Fact& one : facts) {
    if (one.key == run::facts::kFailure) fact.t_ns = one.t_ns;
  }
  fact.type = text(found.back(), "type");
  fact.message = text(found.back(), "message");
  fact.at = text(found.back(), "at");
  return fact;
}

std::optional<std::int64_t> stopped_after(std::span<const run::Fact> facts) {
  const std::vector<json> found = objects(facts, run::facts::kStopped);
  if (found.empty()) return std::nullopt;
  return integer(found.back(), "steps");
}

std::vector<std::string> problem_facts(std::span<const run::Fact> facts) {
  std::vector<std::string> problems;
  for (const json& object : objects(facts, run::facts::kProblem)) {
    std::string problem = text(object, "problem");
    if (!problem.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

std::string first_problem(const run::Timeline& timeline) {
  for (const auto& [key, process] : timeline.processes) {
    const std::vector<std::string> problems = problem_facts(process.facts);
    if (!problems.empty()) return problems.front();
  }
  return "";
}

}  // namespace flatout::analyse
