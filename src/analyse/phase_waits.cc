#include "analyse/phase_waits.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "analyse/kernels/wait_table.h"

namespace flatout::analyse {
namespace {

bool in_interval(std::span<const Interval> intervals, std::int64_t t_ns) {
  const auto after = std::ranges::upper_bound(intervals, t_ns, {}, &Interval::begin_ns);
  return after != intervals.begin() && t_ns <= std::prev(after)->end_ns;
}

struct Waited {
  std::int64_t count = 0;
  std::int64_t ns = 0;
};

// By number of the place.
std::map<std::uint32_t, Waited> sum_by_site(const run::ProcessTrack& process, std::uint16_t lane,
                                            const TimeWindow& steady,
                                            std::span<const Interval> intervals) {
  std::map<std::uint32_t, Waited> sums;
  run::PhaseEvent begun;
  for (const run::PhaseEvent& event : process.phases.between(steady.begin_ns, steady.end_ns + 1)) {
    if (event.phase != run::Phase::kSync || event.lane != lane) continue;
    if (event.begin) {
      begun = event;
      continue;
    }
    if (!begun.begin || in_interval(intervals, begun.t_ns)) continue;
    Waited& sum = sums[begun.id];
    ++sum.count;
    sum.ns += event.t_ns - begun.t_ns;
    begun.begin = false;
  }
  return sums;
}

}  // namespace

std::vector<run::WaitReport> measure_phase_waits(const run::ProcessTrack& process,
                                                 std::uint16_t lane, const TimeWindow& steady,
                                                 std::span<const Interval> intervals) {
  const auto& sites = process.facts.observed().wait_sites;
  std::vector<run::WaitReport> rows;
  for (const auto& [number, sum] : sum_by_site(process, lane, steady, intervals)) {
    run::WaitReport& row = rows.emplace_back();
    const auto site = std::ranges::find(sites, number, &run::WaitSiteFact::site);
    if (number != 0 && site != sites.end()) name_by_site(*site, row);
    row.count = sum.count;
    row.time_ms = static_cast<double>(sum.ns) / 1e6;
  }
  return shortened(merged(std::move(rows)), {});
}

}  // namespace flatout::analyse
