// dataloader.num_workers: processes that fetch batches beside the training one.
// Same maths, but a dataset that draws random numbers draws others in a worker.
#include <algorithm>
#include <cmath>
#include <set>

#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

constexpr double kLeastBestCase = 1.01;

// One step of climbing either way from a number that has proved itself.
std::set<int> neighbours(int workers) {
  std::set<int> out = {workers + 1, (workers * 3 + 1) / 2};
  if (workers > 1) out.insert({workers - 1, workers * 2 / 3});
  out.erase(workers);
  out.erase(0);
  return out;
}

Proposal climb(const Situation& now) {
  const auto& loader = now.report.loader;
  if (!loader) return {.why_not = "no DataLoader was seen to feed the steps", .impossible = true};
  if (now.predictor == nullptr) return {.why_not = "no finding asks for it"};
  Proposal out;
  double best_case = 1;
  for (const int workers : neighbours(loader->workers)) {
    const auto predicted = now.predictor->loader(
        {.workers = workers, .prefetch_factor = loader->prefetch_factor.value_or(2)});
    if (!predicted) continue;
    best_case = std::max(best_case, predicted->hi);
    if (predicted->hi < kLeastBestCase || predicted->ratio < 1) continue;
    out.candidates.push_back({.value = std::to_string(workers),
                              .from = std::to_string(loader->workers),
                              .predicted = predicted,
                              .confidence = 0.5});  // no finding stands behind it
  }
  std::ranges::sort(out.candidates, {}, [](const Candidate& c) { return -c.predicted->ratio; });
  if (out.candidates.empty()) out.why_not = "its best case is under 1 %";
  return out;
}

Proposal propose(const Situation& now) {
  Proposal advised = proposed_by_advice(now.report, "dataloader.num_workers");
  if (advised.candidates.empty()) return climb(now);
  return advised;
}

std::string present(const run::Report& report) {
  return report.loader ? std::to_string(report.loader->workers) : "";
}

ByHand by_hand(const std::string& value) { return loader_argument("num_workers", value); }

}  // namespace

const Knob& dataloader_num_workers() {
  static const Knob knob = {.id = "dataloader.num_workers",
                            .short_name = "num_workers",
                            .risk = run::Risk::kSameMaths,
                            .changes = KnobChanges::kDraws,
                            .needs = "a DataLoader that feeds the steps",
                            .propose = propose,
                            .by_hand = by_hand,
                            .grid = {"2", "4", "1", "8"},
                            .present = present};
  return knob;
}

}  // namespace flatout::apply
