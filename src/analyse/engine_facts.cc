#include "analyse/engine_facts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "run/facts.h"

namespace flatout::analyse {
namespace {

using nlohmann::json;

constexpr std::size_t kMostPathBytes = 4096;
constexpr double kMostRate = 1e9;  // samples a second that a recording is believed
constexpr int kMostPixels = 1 << 14;
constexpr int kMostThreads = 1 << 16;

// The last object of process `pid` under `key` that `fits`.
template <typename Fits>
std::optional<json> last_object(std::span<const run::Fact> facts, std::string_view key, Fits fits) {
  std::optional<json> found;
  for (const run::Fact& fact : facts) {
    if (fact.key != key) continue;
    json value = json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (value.is_object() && fits(value)) found = std::move(value);
  }
  return found;
}

std::span<const run::Fact> facts_of(const run::Timeline& timeline, pid_t pid) {
  const auto process = timeline.processes.find(pid);
  if (process == timeline.processes.end()) return {};
  return process->second.facts;
}

std::string word_of(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::optional<std::int64_t> whole(const json& value, std::int64_t least, std::int64_t most) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value > most)) {
    return std::nullopt;
  }
  const auto number = value.get<std::int64_t>();
  return number >= least && number <= most ? std::optional(number) : std::nullopt;
}

bool says(const json& object, const char* key, std::int64_t number) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number_integer() && *it == number;
}

bool read_files(const json& object, std::vector<std::string>& out) {
  const auto list = object.find("files");
  if (list == object.end() || !list->is_array() || list->empty()) return false;
  if (list->size() > kMostLoaderFiles) return false;
  const std::string folder = word_of(object, "folder");
  for (const json& one : *list) {
    if (!one.is_string()) return false;
    std::string path = one.get<std::string>();
    if (!folder.empty()) path = folder + "/" + path;
    if (!path.starts_with('/') || path.size() > kMostPathBytes || path.contains('\0')) return false;
    out.push_back(std::move(path));
  }
  return true;
}

bool read_places(const json& object, LoaderFiles& out) {
  const auto list = object.find("places");
  if (list == object.end()) return true;
  if (!list->is_array() || list->empty() || list->size() > kMostLoaderFiles) return false;
  for (const json& one : *list) {
    if (!one.is_array() || one.size() != 3) return false;
    const auto file = whole(one[0], 0, std::ssize(out.files) - 1);
    const auto first = whole(one[1], 0, std::int64_t{1} << 50);
    const auto bytes = whole(one[2], 1, std::int64_t{1} << 32);
    if (!file || !first || !bytes) return false;
    out.places.push_back({*file, *first, *bytes});
  }
  return true;
}

std::optional<double> positive(const json& object, const char* key, double most) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number()) return std::nullopt;
  const auto value = it->get<double>();
  return std::isfinite(value) && value > 0 && value <= most ? std::optional(value) : std::nullopt;
}

// The last two numbers of a list of `count`.
std::optional<std::array<int, 2>> size_of(const json& object, const char* key, std::size_t count) {
  const auto list = object.find(key);
  if (list == object.end() || !list->is_array() || list->size() != count) return std::nullopt;
  const auto height = whole((*list)[count - 2], 1, kMostPixels);
  const auto width = whole((*list)[count - 1], 1, kMostPixels);
  if (!height || !width) return std::nullopt;
  return std::array{static_cast<int>(*height), static_cast<int>(*width)};
}

std::optional<run::EngineSpeed> speed_of(const json& object) {
  const auto rate = positive(object, "samples_per_s", kMostRate);
  const auto cpu_ms = positive(object, "cpu_ms", 1e9);
  const auto threads = object.find("threads");
  if (!rate || !cpu_ms || threads == object.end()) return std::nullopt;
  const auto count = whole(*threads, 1, kMostThreads);
  if (!count) return std::nullopt;
  return run::EngineSpeed{
      .samples_per_s = *rate,
      .cpu_ms = *cpu_ms,
      .threads = static_cast<int>(*count),
      .seconds = positive(object, "seconds", 1e6).value_or(0),
      .files = static_cast<int>(positive(object, "files", kMostLoaderFiles).value_or(0)),
      .size = size_of(object, "size", 2)};
}

std::optional<run::EngineMeasurement> measurement_in(const json& object) {
  run::EngineMeasurement out{.speed = std::nullopt, .skipped = word_of(object, "skipped")};
  if (out.skipped.empty()) out.speed = speed_of(object);
  return out.speed || !out.skipped.empty() ? std::optional(out) : std::nullopt;
}

json measurement_json(const run::EngineMeasurement& measured) {
  if (!measured.speed) return {{"skipped", measured.skipped}};
  const run::EngineSpeed& speed = *measured.speed;
  json out = {{"samples_per_s", speed.samples_per_s},
              {"cpu_ms", speed.cpu_ms},
              {"threads", speed.threads},
              {"seconds", speed.seconds},
              {"files", speed.files}};
  if (speed.size) out["size"] = *speed.size;
  return out;
}

}  // namespace

std::optional<LoaderFiles> loader_files(const run::Timeline& timeline, pid_t pid,
                                        std::uint32_t loader) {
  const auto object =
      last_object(facts_of(timeline, pid), run::facts::kLoaderFiles,
                  [loader](const json& value) { return says(value, "loader", loader); });
  if (!object) return std::nullopt;
  LoaderFiles out;
  out.why_not = word_of(*object, "why_not");
  if (!out.why_not.empty()) return out;
  const auto spec = object->find("spec");
  if (spec != object->end()) {
    if (!spec->is_object()) return std::nullopt;
    out.spec = spec->dump(-1, ' ', false, json::error_handler_t::replace);
  }
  if (!read_files(*object, out.files) || !read_places(*object, out)) return std::nullopt;
  return out;
}

std::optional<run::EngineMeasurement> engine_measurement(const run::Timeline& timeline, pid_t pid,
                                                         std::uint32_t loader) {
  for (const auto& [key, process] : timeline.processes) {
    const auto object =
        last_object(process.facts, run::facts::kEngineSpeed, [&](const json& value) {
          return says(value, "pid", pid) && says(value, "loader", loader);
        });
    if (!object) continue;
    if (auto out = measurement_in(*object)) return out;
  }
  return std::nullopt;
}

std::optional<run::EngineMeasurement> engine_measurement_of(const std::string& said) {
  const json object = json::parse(said, nullptr, /*allow_exceptions=*/false);
  return object.is_object() ? measurement_in(object) : std::nullopt;
}

std::string engine_measurement_text(const run::EngineMeasurement& measured) {
  return measurement_json(measured).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string engine_measurement_json(pid_t pid, std::uint32_t loader,
                                    const run::EngineMeasurement& measured) {
  json out = measurement_json(measured);
  out["pid"] = pid;
  out["loader"] = loader;
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<std::array<int, 2>> picture_size(const run::Timeline& timeline, pid_t pid) {
  for (const run::Fact& fact : facts_of(timeline, pid)) {
    if (fact.key != run::facts::kModel) continue;
    const json value = json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (!value.is_object()) continue;
    if (const auto size = size_of(value, "input", 4)) return size;
  }
  return std::nullopt;
}

}  // namespace flatout::analyse
