#include "analyse/stragglers/stragglers.h"

#include <algorithm>
#include <vector>

#include "analyse/stats.h"
#include "analyse/stragglers/matching.h"
#include "run/phase.h"

namespace flatout::analyse {
namespace {

using run::Phase;

struct Late {
  std::int64_t last = 0;
  double held_ns = 0, exposed_ns = 0, waited_ns = 0;
  std::array<double, run::kPhaseCount> phases{};
  double idle_ns = 0;  // of what the phases explain: the device had nothing to do
  double busy_ns = 0;
};

double length(const RankPart& part) {
  return static_cast<double>(part.collective->end_ns) -
         static_cast<double>(part.collective->begin_ns);
}

double median_before(const MatchedCollective& row, const RankPart& but, auto value) {
  std::vector<double> values;
  for (const RankPart& part : row) {
    if (part.rank != but.rank) values.push_back(value(*part.collective));
  }
  return median(values).value_or(0);
}

// Shares `held_ns` out among the phases in which the last one was longer.
void explain(const MatchedCollective& row, const RankPart& last, double held_ns, Late& late) {
  if (!last.collective->follows) return;
  std::array<double, run::kPhaseCount> more{};
  double sum = 0;
  for (std::size_t phase = 0; phase < more.size(); ++phase) {
    const auto value = [phase](const RankCollective& at) {
      return static_cast<double>(at.before[phase]);
    };
    more[phase] = std::max(0.0, value(*last.collective) - median_before(row, last, value));
    sum += more[phase];
  }
  if (sum <= 0) return;
  const double explained = std::min(held_ns, sum);
  for (std::size_t phase = 0; phase < more.size(); ++phase) {
    late.phases[phase] += explained * more[phase] / sum;
  }
  const auto idle = [](const RankCollective& at) { return static_cast<double>(at.idle_before_ns); };
  const double more_idle =
      std::clamp(idle(*last.collective) - median_before(row, last, idle), 0.0, sum);
  late.idle_ns += explained * more_idle / sum;
  late.busy_ns += explained * (sum - more_idle) / sum;
}

void add_row(const MatchedCollective& row, std::vector<Late>& ranks) {
  const RankPart& last = *std::ranges::min_element(row, {}, length);
  const double shortest = length(last);
  double waited = 0, exposed = 0, most = 0;
  for (const RankPart& part : row) {
    const double more = length(part) - shortest;
    waited += more;
    exposed +=
        std::min(more, static_cast<double>(std::max<std::int64_t>(0, part.collective->exposed_ns)));
    most = std::max(most, more);
  }
  if (most < static_cast<double>(kSameNs)) return;
  for (const RankPart& part : row) ranks[part.rank].waited_ns += length(part) - shortest;
  const auto others = static_cast<double>(row.size() - 1);
  Late& late = ranks[last.rank];
  ++late.last;
  late.held_ns += waited / others;
  late.exposed_ns += exposed / others;
  explain(row, last, waited / others, late);
}

run::Cause cause_of(const Late& late, double explained_ns) {
  constexpr double kMost = 0.5;
  const auto in = [&](Phase phase) { return late.phases[static_cast<std::size_t>(phase)]; };
  if (explained_ns < kMost * late.held_ns) return run::Cause::kNone;
  if (in(Phase::kDataWait) >= kMost * explained_ns) return run::Cause::kLateData;
  if (in(Phase::kH2d) >= kMost * explained_ns) return run::Cause::kLateCopies;
  if (in(Phase::kCheckpoint) >= kMost * explained_ns) return run::Cause::kLateCheckpoint;
  return late.idle_ns > late.busy_ns ? run::Cause::kLateHost : run::Cause::kLateCompute;
}

run::Straggler straggler_of(int rank, const Late& late, double window_ns) {
  run::Straggler straggler;
  straggler.rank = rank;
  straggler.last = late.last;
  straggler.held_ms = late.held_ns / 1e6;
  straggler.exposed_ms = late.exposed_ns / 1e6;
  if (window_ns > 0) straggler.share = std::min(1.0, late.exposed_ns / window_ns);
  double explained = 0;
  for (std::size_t phase = 0; phase < late.phases.size(); ++phase) {
    if (late.phases[phase] <= 0) continue;
    explained += late.phases[phase];
    straggler.phases.emplace_back(run::phase_name(static_cast<Phase>(phase)),
                                  late.phases[phase] / 1e6);
  }
  std::ranges::stable_sort(straggler.phases, std::ranges::greater(),
                           &std::pair<std::string, double>::second);
  straggler.cause = cause_of(late, explained);
  return straggler;
}

double mean_window_ns(std::span<const RankTrace> ranks) {
  double sum = 0, count = 0;
  for (const RankTrace& rank : ranks) {
    if (!rank.window_ms) continue;
    sum += *rank.window_ms * 1e6;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

run::RankComparison compare_ranks(std::span<const RankTrace> ranks) {
  run::RankComparison result;
  const Matching matching = match_collectives(ranks);
  std::vector<Late> lates(ranks.size());
  for (const MatchedCollective& row : matching.collectives) add_row(row, lates);
  result.collectives = std::ssize(matching.collectives);
  result.numbered = matching.numbered;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankTrace& rank = ranks[i];
    run::ComparedRank out;
    out.rank = rank.rank.value_or(static_cast<int>(i));
    out.file = rank.file;
    out.step_ms = rank.step_ms;
    out.busy = rank.busy;
    out.comm_exposed = rank.comm_exposed;
    out.idle = rank.idle;
    out.window_ms = rank.window_ms;
    if (matching.ahead_ns[i]) out.clock_ahead_ms = *matching.ahead_ns[i] / 1e6;
    out.last = lates[i].last;
    out.held_ms = lates[i].held_ns / 1e6;
    out.waited_ms = lates[i].waited_ns / 1e6;
    if (rank.world_size) result.world_size = rank.world_size;
    result.ranks.push_back(std::move(out));
  }
  const auto most = std::ranges::max_element(lates, {}, &Late::exposed_ns);
  if (most != lates.end() && most->exposed_ns > 0) {
    const auto at = static_cast<std::size_t>(most - lates.begin());
    result.straggler = straggler_of(result.ranks[at].rank, *most, mean_window_ns(ranks));
  }
  return result;
}

}  // namespace flatout::analyse
