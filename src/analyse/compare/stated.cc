#include "analyse/compare/stated.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "run/facts.h"

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

constexpr int kDeepest = 3;  // a program may state anything

// Objects within are flattened, lists and their elements are one literal.
void flatten(Stated& to, const std::string& prefix, const json& object,
             const std::set<std::string_view>& but, int depth = 1) {
  for (const auto& [name, value] : object.items()) {
    if (but.contains(name) || value.is_null()) continue;
    const std::string key = prefix + "." + name;
    if (value.is_object() && depth < kDeepest) {
      flatten(to, key, value, {}, depth + 1);
    } else {
      to[key] = literal(value);
    }
  }
}

const run::ProcessTrack* training_process(const run::Timeline& timeline, const Analysis& analysis) {
  const auto found = timeline.processes.find(analysis.pid);
  if (analysis.pid != 0 && found != timeline.processes.end()) return &found->second;
  // Without steps: a process that stated anything.
  for (const auto& [pid, process] : timeline.processes) {
    for (const run::Fact& fact : process.facts) {
      if (fact.key == run::facts::kEnvironment) return &process;
    }
  }
  return nullptr;
}

json parsed(const run::Fact& fact) {
  return json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
}

// The latest object stated under `key`; of loaders, the one that trains.
json stated(const run::ProcessTrack& process, std::string_view key, std::uint32_t loader = 0) {
  json found;
  for (const run::Fact& fact : process.facts) {
    if (fact.key != key) continue;
    json value = parsed(fact);
    if (!value.is_object()) continue;
    const auto id = value.find("loader");
    const bool other = loader != 0 && (id == value.end() || *id != loader);
    if (!other) found = std::move(value);
  }
  return found;
}

std::uint32_t training_loader(const Analysis& analysis) {
  return analysis.loader ? analysis.loader->fact.loader : 0;
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
void put_torch_devices(Stated& to, const run::ProcessTrack& process) {
  const json value = stated(process, run::facts::kDevices);
  const auto list = value.find("devices");
  if (!value.is_object() || list == value.end() || !list->is_array()) return;
  std::size_t index = 0;
  for (const json& device : *list) {
    if (device.is_object()) flatten(to, "devices." + std::to_string(index), device, {"index"});
    ++index;
  }
}

}  // namespace

Stated config_of(const run::Timeline& timeline, const Analysis& analysis) {
  Stated config;
  config["command"] = literal(timeline.info.command);
  const run::ProcessTrack* process = training_process(timeline, analysis);
  if (process == nullptr) return config;
  const auto add = [&](const char* prefix, const json& value,
                       const std::set<std::string_view>& but) {
    if (value.is_object()) flatten(config, prefix, value, but);
  };
  add("loader", stated(*process, run::facts::kLoader, training_loader(analysis)),
      {"loader", "built_at", "fetched_batches", "fetched_reason"});
  add("optimizer", stated(*process, run::facts::kOptimizer), {"built_at"});
  add("model", stated(*process, run::facts::kModel), {});
  add("precision", stated(*process, run::facts::kPrecision), {});
  add("framework", stated(*process, run::facts::kFramework), {});
  add("rank", stated(*process, run::facts::kRank), {});
  const json environment = stated(*process, run::facts::kEnvironment);
  constexpr std::array kSettings = {"device", "intraop_threads", "interop_threads"};
  for (const char* name : kSettings) {
    if (environment.is_object() && environment.contains(name)) {
      config[std::string("torch.") + name] = literal(environment[name]);
    }
  }
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
    const json stated_of_torch = stated(*process, run::facts::kEnvironment);
    if (stated_of_torch.is_object()) {
      flatten(environment, "versions", stated_of_torch,
              {"device", "intraop_threads", "interop_threads"});
    }
    if (timeline.devices.empty()) put_torch_devices(environment, *process);
  }
  put_devices(environment, timeline);
  return environment;
}

Stated places_of(const run::Timeline& timeline, const Analysis& analysis) {
  Stated places;
  const run::ProcessTrack* process = training_process(timeline, analysis);
  if (process == nullptr) return places;
  const auto add = [&](const std::string& name, const json& value) {
    if (!value.is_object()) return;
    const auto at = value.find("built_at");
    if (at != value.end() && at->is_string()) places[name + ".built_at"] = literal(*at);
  };
  add("loader", stated(*process, run::facts::kLoader, training_loader(analysis)));
  add("optimizer", stated(*process, run::facts::kOptimizer));
  return places;
}

}  // namespace flatout::analyse
