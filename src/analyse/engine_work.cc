#include "analyse/engine_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "run/facts.h"

namespace flatout::analyse {
namespace {

using nlohmann::json;

constexpr std::array kStages = {"read", "decode", "transform", "mix"};

struct Told {
  std::int64_t t_ns = 0;
  json figures;
};

std::vector<Told> told_by(std::span<const run::Fact> facts, std::uint32_t loader) {
  std::vector<Told> out;
  for (const run::Fact& fact : facts) {
    if (fact.key != run::facts::kEngine) continue;
    json figures = json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (!figures.is_object()) continue;
    const auto of = figures.find("loader");
    if (of == figures.end() || *of != loader) continue;
    out.push_back({fact.t_ns, std::move(figures)});
  }
  return out;
}

std::optional<double> number(const json& figures, const std::string& key) {
  const auto it = figures.find(key);
  if (it == figures.end() || !it->is_number()) return std::nullopt;
  const auto value = it->get<double>();
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

// How much a counter grew; absent where the last does not have it. It begins anew with an engine
// that takes the place of another.
std::optional<double> growth(std::span<const Told> told, const std::string& key, bool from_start) {
  if (!number(told.back().figures, key)) return std::nullopt;
  double sum = 0;
  double before = from_start ? 0 : number(told.front().figures, key).value_or(0);
  for (const Told& one : told.subspan(from_start ? 0 : 1)) {
    const double now = number(one.figures, key).value_or(before);
    sum += now >= before ? now - before : now;
    before = now;
  }
  return sum;
}

std::optional<double> seconds(std::span<const Told> told, const std::string& name,
                              bool from_start) {
  const auto ns = growth(told, name + "_ns", from_start);
  return ns ? std::optional(*ns / 1e9) : std::nullopt;
}

std::optional<int> whole(const json& figures, const char* key) {
  constexpr double kMost = 1 << 20;
  const auto value = number(figures, key);
  return value && *value <= kMost ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

}  // namespace

std::optional<run::EngineWork> engine_work(std::span<const run::Fact> facts, std::uint32_t loader,
                                           TimeWindow window) {
  const std::vector<Told> all = told_by(facts, loader);
  if (all.empty()) return std::nullopt;
  // In the order of time, as they were written.
  const auto behind =
      std::ranges::find_if(all, [&](const Told& told) { return told.t_ns > window.begin_ns; });
  auto end =
      std::find_if(behind, all.end(), [&](const Told& told) { return told.t_ns >= window.end_ns; });
  if (end != all.end()) ++end;
  const bool from_start = behind == all.begin() || behind == all.end();
  const auto begin = from_start ? all.begin() : behind - 1;
  if (behind == all.end()) end = all.end();
  const std::span<const Told> told(begin, end);
  run::EngineWork work;
  work.threads = whole(told.back().figures, "threads");
  work.ahead = whole(told.back().figures, "ahead");
  for (const char* stage : kStages) {
    const auto busy = seconds(told, std::string(stage) + "_busy", from_start);
    const auto blocked = seconds(told, std::string(stage) + "_blocked", from_start);
    if (busy && blocked) work.stages.push_back({stage, *busy, *blocked});
  }
  work.idle_full_s = seconds(told, "idle_full", from_start);
  work.idle_starved_s = seconds(told, "idle_starved", from_start);
  work.idle_unasked_s = seconds(told, "idle_unasked", from_start);
  work.consumer_wait_s = seconds(told, "consumer_wait", from_start);
  return work;
}

std::optional<EngineShares> shares_of(const run::EngineWork& work) {
  double computing = 0;
  double without_core = 0;
  double all = work.idle_starved_s.value_or(0);
  for (const run::EngineStage& stage : work.stages) {
    all += stage.busy_s + stage.blocked_s;
    if (stage.name == "read") continue;
    computing += stage.busy_s;
    without_core += stage.blocked_s;
  }
  if (!(all > 0)) return std::nullopt;
  const double delay = computing > 0 ? without_core / computing : 0;
  EngineShares shares;
  shares.starved = work.idle_starved_s.value_or(0) / all;
  for (const run::EngineStage& stage : work.stages) {
    double own = stage.busy_s + stage.blocked_s;
    if (stage.name == "read") {
      const double for_core = std::min(stage.blocked_s, stage.busy_s * delay);
      shares.files = (stage.blocked_s - for_core) / all;
      without_core += for_core;
      own = stage.busy_s + for_core;
    }
    if (own / all <= shares.dearest_share) continue;
    shares.dearest = stage.name;
    shares.dearest_share = own / all;
  }
  shares.cores = without_core / all;
  return shares;
}

}  // namespace flatout::analyse
