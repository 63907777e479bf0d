#include "analyse/live_tuned.h"

#include <algorithm>
#include <iterator>

#include "run/fact_list.h"

namespace flatout::analyse {
namespace {

run::PlanEntry entry_of(const run::TunedSettingFact& said) {
  run::PlanEntry out;
  out.setting = {said.knob, said.to};
  out.from = said.from;
  if (said.speedup && said.lo && said.hi) out.measured = {*said.speedup, *said.lo, *said.hi};
  return out;
}

}  // namespace

std::optional<run::LiveTuneReport> live_tune_report(const run::Timeline& timeline) {
  const run::TunedFact* said = nullptr;
  for (const auto& [pid, process] : timeline.processes) {
    const run::TunedFact* here = run::latest_of(process.facts.observed().tuned);
    if (here != nullptr) said = here;
  }
  if (said == nullptr) return std::nullopt;
  run::LiveTuneReport out{.seconds = said->seconds,
                          .lost_s = said->lost_s,
                          .tried = said->tried.value_or(0),
                          .cut_by = said->cut_by,
                          .left_out = said->left_out,
                          .kept = {}};
  std::ranges::transform(said->kept, std::back_inserter(out.kept), entry_of);
  return out;
}

}  // namespace flatout::analyse
