#include "analyse/engine_facts.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

namespace flatout::analyse {
namespace {

using nlohmann::json;

constexpr std::size_t kMostPathBytes = 4096;
constexpr int kMostPixels = 1 << 14;

const run::Observed& said_by(const run::Timeline& timeline, pid_t pid) {
  static const run::Observed kNothing;
  const auto process = timeline.processes.find(pid);
  return process != timeline.processes.end() ? process->second.facts.observed() : kNothing;
}

// Absolute paths, all of them; false where one cannot be used.
bool read_files(const run::LoaderFilesFact& said, std::vector<std::string>& out) {
  if (said.files.empty() || said.files.size() > kMostLoaderFiles) return false;
  for (const std::string& file : said.files) {
    std::string path = said.folder.empty() ? file : said.folder + "/" + file;
    if (!path.starts_with('/') || path.size() > kMostPathBytes || path.contains('\0')) return false;
    out.push_back(std::move(path));
  }
  return true;
}

bool usable_places(const run::LoaderFilesFact& said) {
  const auto within = [](std::int64_t value, std::int64_t least, std::int64_t most) {
    return value >= least && value <= most;
  };
  return said.places.size() <= kMostLoaderFiles &&
         std::ranges::all_of(said.places, [&](const auto& place) {
           return within(place[0], 0, std::ssize(said.files) - 1) &&
                  within(place[1], 0, std::int64_t{1} << 50) &&
                  within(place[2], 1, std::int64_t{1} << 32);
         });
}

// The last two of a list of `count`, height and width.
std::optional<std::array<int, 2>> size_of(std::span<const std::int64_t> list, std::size_t count) {
  if (list.size() != count) return std::nullopt;
  const auto sides = list.last<2>();
  const auto fits = [](std::int64_t pixels) { return pixels >= 1 && pixels <= kMostPixels; };
  if (!std::ranges::all_of(sides, fits)) return std::nullopt;
  return std::array{static_cast<int>(sides[0]), static_cast<int>(sides[1])};
}

std::optional<run::EngineMeasurement> measurement_in(const run::EngineSpeedFact& said) {
  if (!said.skipped.empty()) return run::EngineMeasurement{.skipped = said.skipped};
  const bool told = said.samples_per_s.value_or(0) > 0 && said.cpu_ms.value_or(0) > 0;
  if (!told || !said.threads) return std::nullopt;
  return run::EngineMeasurement{
      .speed = run::EngineSpeed{.samples_per_s = *said.samples_per_s,
                                .cpu_ms = *said.cpu_ms,
                                .threads = *said.threads,
                                .seconds = said.seconds.value_or(0),
                                .files = static_cast<int>(said.files.value_or(0)),
                                .size = size_of(said.size, 2)}};
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
  const run::LoaderFilesFact* said = nullptr;
  for (const run::LoaderFilesFact& one : said_by(timeline, pid).loader_files) {
    if (one.loader == loader) said = &one;
  }
  if (said == nullptr) return std::nullopt;
  LoaderFiles out;
  out.why_not = said->why_not;
  if (!out.why_not.empty()) return out;
  if (!read_files(*said, out.files) || !usable_places(*said)) return std::nullopt;
  out.spec = said->spec;
  out.places = said->places;
  return out;
}

std::string class_folders_of(const LoaderFiles& files) {
  if (!files.places.empty()) return "";
  std::set<std::string> classes;
  std::set<std::string> roots;
  for (const std::string& file : files.files) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    classes.insert(folder.string());
    roots.insert(folder.parent_path().string());
  }
  // One folder alone may be a class, or what holds files without any.
  return classes.size() > 1 && roots.size() == 1 ? *roots.begin() : "";
}

std::optional<run::EngineMeasurement> engine_measurement(const run::Timeline& timeline, pid_t pid,
                                                         std::uint32_t loader) {
  for (const auto& [key, process] : timeline.processes) {
    const run::EngineSpeedFact* said = nullptr;
    for (const run::EngineSpeedFact& one : process.facts.observed().engine_speeds) {
      if (one.pid == pid && one.loader == loader) said = &one;
    }
    if (said == nullptr) continue;
    if (auto out = measurement_in(*said)) return out;
  }
  return std::nullopt;
}

std::optional<run::EngineMeasurement> engine_measurement_of(const std::string& said) {
  const auto fact = run::decode<run::EngineSpeedFact>(said);
  return fact ? measurement_in(*fact) : std::nullopt;
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
  for (const run::ModelFact& model : said_by(timeline, pid).models) {
    if (const auto size = size_of(model.input, 4)) return size;
  }
  return std::nullopt;
}

}  // namespace flatout::analyse
