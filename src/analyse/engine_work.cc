#include "analyse/engine_work.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace flatout::analyse {
namespace {

using Counter = std::optional<double> run::EngineFact::*;

struct Stage {
  run::EnginePart part;
  Counter busy_ns, blocked_ns;
};
constexpr std::array kStages = {
    Stage{run::EnginePart::kRead, &run::EngineFact::read_busy_ns,
          &run::EngineFact::read_blocked_ns},
    Stage{run::EnginePart::kDecode, &run::EngineFact::decode_busy_ns,
          &run::EngineFact::decode_blocked_ns},
    Stage{run::EnginePart::kTransform, &run::EngineFact::transform_busy_ns,
          &run::EngineFact::transform_blocked_ns},
    Stage{run::EnginePart::kMix, &run::EngineFact::mix_busy_ns, &run::EngineFact::mix_blocked_ns}};

// What counters grew by from the first of `told` on or, `from_start`, from 0 on.
struct Growth {
  std::span<const run::EngineFact> told;
  bool from_start = false;

  // Absent where the last does not have it. It begins anew with an engine that takes the place of
  // another.
  std::optional<double> seconds(Counter counter) const {
    if (!(told.back().*counter)) return std::nullopt;
    double sum = 0;
    double before = from_start ? 0 : (told.front().*counter).value_or(0);
    for (const run::EngineFact& one : told.subspan(from_start ? 0 : 1)) {
      const double now = (one.*counter).value_or(before);
      sum += now >= before ? now - before : now;
      before = now;
    }
    return sum / 1e9;
  }
};

}  // namespace

std::optional<run::EngineWork> engine_work(std::span<const run::EngineFact> told,
                                           std::uint32_t loader, TimeWindow window) {
  std::vector<run::EngineFact> all;
  std::ranges::copy_if(told, std::back_inserter(all),
                       [loader](const run::EngineFact& one) { return one.loader == loader; });
  if (all.empty()) return std::nullopt;
  // In the order of time, as they were written.
  const auto after = std::ranges::find_if(
      all, [&](const run::EngineFact& one) { return one.t_ns > window.begin_ns; });
  auto end = std::find_if(after, all.end(),
                          [&](const run::EngineFact& one) { return one.t_ns >= window.end_ns; });
  if (end != all.end()) ++end;
  const bool from_start = after == all.begin() || after == all.end();
  const auto begin = from_start ? all.begin() : after - 1;
  if (after == all.end()) end = all.end();
  const Growth growth{.told = {begin, end}, .from_start = from_start};
  run::EngineWork work;
  work.threads = growth.told.back().threads;
  work.ahead = growth.told.back().ahead;
  for (const Stage& stage : kStages) {
    const auto busy = growth.seconds(stage.busy_ns);
    const auto blocked = growth.seconds(stage.blocked_ns);
    if (busy && blocked) work.stages.push_back({stage.part, *busy, *blocked});
  }
  work.idle_full_s = growth.seconds(&run::EngineFact::idle_full_ns);
  work.idle_starved_s = growth.seconds(&run::EngineFact::idle_starved_ns);
  work.idle_unasked_s = growth.seconds(&run::EngineFact::idle_unasked_ns);
  work.consumer_wait_s = growth.seconds(&run::EngineFact::consumer_wait_ns);
  return work;
}

std::optional<run::EngineShares> shares_of(const run::EngineWork& work) {
  double computing = 0;
  double without_core = 0;
  double all = work.idle_starved_s.value_or(0);
  for (const run::EngineStage& stage : work.stages) {
    all += stage.busy_s + stage.blocked_s;
    if (stage.part == run::EnginePart::kRead) continue;
    computing += stage.busy_s;
    without_core += stage.blocked_s;
  }
  if (!(all > 0)) return std::nullopt;
  const double delay = computing > 0 ? without_core / computing : 0;
  run::EngineShares shares;
  shares.underrun = work.idle_starved_s.value_or(0) / all;
  for (const run::EngineStage& stage : work.stages) {
    double own = stage.busy_s + stage.blocked_s;
    if (stage.part == run::EnginePart::kRead) {
      const double for_core = std::min(stage.blocked_s, stage.busy_s * delay);
      shares.files = (stage.blocked_s - for_core) / all;
      without_core += for_core;
      own = stage.busy_s + for_core;
    }
    if (own / all <= shares.slowest_share) continue;
    shares.slowest = stage.part;
    shares.slowest_share = own / all;
  }
  shares.cores = without_core / all;
  return shares;
}

}  // namespace flatout::analyse
