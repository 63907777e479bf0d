// At stake: of the ranks' windows, what the others waited for the one that they wait for most while
// their devices computed nothing (stragglers/stragglers.h). Thresholds as in rank_imbalance.cc.
#include "analyse/rules/rank_traces.h"

#include <algorithm>
#include <string>

#include "analyse/rules/judgement.h"
#include "analyse/rules/traced.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kRankTracesThresholds = {.warn = 0.10, .critical = 0.20};
constexpr std::int64_t kFewCollectives = 20;

std::string in_phase(const run::Straggler& straggler) {
  constexpr double kMostOfIt = 0.5;
  if (straggler.phases.empty() || straggler.phases.front().first == "other") return "";
  const auto& [phase, ms] = straggler.phases.front();
  return ms >= kMostOfIt * straggler.held_ms ? " in " + phase : "";
}

std::string why(const run::Straggler& straggler) {
  switch (straggler.cause) {
    case run::Cause::kLateData:
      return ": it waits for its data";
    case run::Cause::kLateCopies:
      return ": its copies to the GPU take longer";
    case run::Cause::kLateCheckpoint:
      return ": it saves or evaluates meanwhile";
    case run::Cause::kLateHost:
      return ": its GPU idles longer" + in_phase(straggler) + ", because its host is late";
    case run::Cause::kLateCompute:
      return ": its GPU works longer" + in_phase(straggler);
    default:
      return "";
  }
}

void add_evidence(run::Finding& finding, std::string metric, double value, std::string unit) {
  finding.evidence.push_back({std::move(metric), value, std::move(unit), {}, {}, {}});
}

}  // namespace

std::optional<run::Finding> rank_imbalance_of_traces(const run::RankComparison& ranks) {
  if (!ranks.straggler || ranks.straggler->share < kRankTracesThresholds.warn) return std::nullopt;
  const run::Straggler& straggler = *ranks.straggler;
  run::Finding finding;
  finding.id = "rank_imbalance";
  finding.cause = straggler.cause;
  finding.severity = severity_of(straggler.share, kRankTracesThresholds);
  finding.share = straggler.share;
  finding.of_run = true;
  finding.confidence =
      ranks.collectives < kFewCollectives ? kTraceConfidence / 2 : kTraceConfidence;
  finding.tier = "kernels";
  finding.summary = "the other ranks wait " + percent(straggler.share) + " of the time for rank " +
                    std::to_string(straggler.rank) + ", the last one at " +
                    std::to_string(straggler.last) + " of " + std::to_string(ranks.collectives) +
                    " collectives" + why(straggler) + ".";
  finding.evidence.push_back(
      {"ranks.window_share", straggler.share, "ratio", kRankTracesThresholds.warn, {}, {}});
  add_evidence(finding, "ranks.slowest", straggler.rank, "count");
  add_evidence(finding, "ranks.held_ms", straggler.held_ms, "ms");
  add_evidence(finding, "ranks.last", static_cast<double>(straggler.last), "count");
  add_evidence(finding, "ranks.collectives", static_cast<double>(ranks.collectives), "count");
  for (const auto& [phase, ms] : straggler.phases) {
    add_evidence(finding, "ranks.late_phases." + phase, ms, "ms");
  }
  return finding;
}

}  // namespace flatout::analyse
