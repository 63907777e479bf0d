#include "analyse/compare/stated.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "analyse/facts.h"
#include "run/observed.h"

namespace flatout::analyse {
namespace {

using nlohmann::json;

std::string literal(const json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

void put(Stated& to, const std::string& key, const std::string& text) {
  if (!text.empty()) to[key] = literal(text);
}

void put(Stated& to, const std::string& key, double value) {
  if (value > 0) to[key] = literal(value);
}

void put_count(Stated& to, const std::string& key, std::int64_t value) {
  if (value > 0) to[key] = literal(value);
}

using Names = std::set<std::string_view>;

// The part of "args.steps" before the first dot.
std::string_view first_name(std::string_view name) { return name.substr(0, name.find('.')); }

void put_fields(Stated& to, const std::string& prefix, const std::vector<run::StatedField>& fields,
                const Names& but) {
  for (const run::StatedField& field : fields) {
    if (!but.contains(first_name(field.name))) to[prefix + "." + field.name] = field.json;
  }
}

// The latest; of several loaders, the one that trains.
template <typename T>
void put_latest(Stated& to, const std::string& prefix, const std::vector<T>& said,
                const Names& but = {}) {
  if (const T* latest = run::latest_of(said)) put_fields(to, prefix, latest->stated, but);
}

const run::ProcessTrack* training_process(const run::Timeline& timeline, const Analysis& analysis) {
  const auto found = timeline.processes.find(analysis.pid);
  if (analysis.pid != 0 && found != timeline.processes.end()) return &found->second;
  // Without steps: a process that stated anything.
  for (const auto& [pid, process] : timeline.processes) {
    if (!process.facts.observed().environments.empty()) return &process;
  }
  return nullptr;
}

const run::LoaderFact* training_loader(const run::Observed& said, const Analysis& analysis) {
  const std::uint32_t loader = analysis.loader ? analysis.loader->loader : 0;
  const run::LoaderFact* found = nullptr;
  for (const run::LoaderFact& one : said.loaders) {
    if (loader == 0 || one.loader == loader) found = &one;
  }
  return found;
}

void put_devices(Stated& to, const run::Timeline& timeline) {
  for (const auto& [index, device] : timeline.devices) {
    const std::string prefix = "devices." + std::to_string(index);
    put(to, prefix + ".name", device.name);
    put(to, "versions." + device.vendor + "_driver", device.driver);
    if (device.mig) put(to, prefix + ".mig", *device.mig);
    if (device.power_limit_w) put(to, prefix + ".power_limit_w", *device.power_limit_w);
    if (device.memory_total_bytes) {
      put_count(to, prefix + ".memory_total_bytes", *device.memory_total_bytes);
    }
  }
}

// What torch says of its devices, where no driver told more.
void put_torch_devices(Stated& to, const run::Observed& said) {
  std::size_t index = 0;
  for (const run::DeviceFact& device : devices_of(said)) {
    put_fields(to, "devices." + std::to_string(index++), device.stated, {"index", "uuid"});
  }
}

// Of what a process says of its environment: settings of torch, not versions.
const Names& settings() {
  static const Names kSettings = {"device", "intraop_threads", "interop_threads"};
  return kSettings;
}

void put_settings(Stated& to, const run::Observed& said) {
  const run::EnvironmentFact* environment = run::latest_of(said.environments);
  if (environment == nullptr) return;
  for (const run::StatedField& field : environment->stated) {
    if (settings().contains(field.name)) to["torch." + field.name] = field.json;
  }
}

}  // namespace

Stated config_of(const run::Timeline& timeline, const Analysis& analysis) {
  Stated config;
  config["command"] = literal(timeline.info.command);
  const run::ProcessTrack* process = training_process(timeline, analysis);
  if (process == nullptr) return config;
  const run::Observed& said = process->facts.observed();
  if (const run::LoaderFact* loader = training_loader(said, analysis)) {
    put_fields(
        config, "loader", loader->stated,
        {"loader", "built_at", "built_by", "batch_sampler", "fetched_batches", "fetched_reason"});
  }
  put_latest(config, "optimizer", said.optimizers, {"built_at"});
  put_latest(config, "model", said.models);
  put_latest(config, "precision", said.precisions);
  put_latest(config, "framework", said.frameworks);
  put_latest(config, "rank", said.ranks);
  put_settings(config, said);
  return config;
}

Stated environment_of(const run::Timeline& timeline, const Analysis& analysis) {
  const run::RunInfo& info = timeline.info;
  Stated environment;
  put(environment, "machine.host", info.host);
  put(environment, "machine.cpu_model", info.cpu_model);
  put_count(environment, "machine.cpus", info.cpus);
  put(environment, "machine.cpu_limit", info.cpu_limit);
  put_count(environment, "machine.memory_bytes", info.memory_bytes);
  put_count(environment, "machine.memory_limit_bytes", info.memory_limit_bytes);
  put(environment, "versions.flatout", info.flatout_version);
  put(environment, "run.hooks_off", info.hooks_off);
  put(environment, "run.folder", info.cwd);
  const run::ProcessTrack* process = training_process(timeline, analysis);
  if (process != nullptr) {
    const run::Observed& said = process->facts.observed();
    put_latest(environment, "versions", said.environments, settings());
    if (timeline.devices.empty()) put_torch_devices(environment, said);
  }
  put_devices(environment, timeline);
  return environment;
}

Stated places_of(const run::Timeline& timeline, const Analysis& analysis) {
  Stated places;
  const run::ProcessTrack* process = training_process(timeline, analysis);
  if (process == nullptr) return places;
  const run::Observed& said = process->facts.observed();
  if (const run::LoaderFact* loader = training_loader(said, analysis)) {
    put(places, "loader.built_at", loader->built_at);
  }
  if (const run::OptimizerFact* optimizer = run::latest_of(said.optimizers)) {
    put(places, "optimizer.built_at", optimizer->built_at);
  }
  return places;
}

}  // namespace flatout::analyse
