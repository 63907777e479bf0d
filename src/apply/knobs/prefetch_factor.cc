// dataloader.prefetch_factor: batches that each worker works ahead.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

constexpr int kMostBatchesAhead = 64;  // of all workers: memory is paid for each

Proposal propose_prefetch_factor(const Situation& now) {
  const auto& loader = now.report.loader;
  if (!loader || loader->workers == 0)
    return {.why_not = "there are no loader workers", .impossible = true};
  Proposal advised = proposed_by_advice(now.report, "dataloader.prefetch_factor");
  if (!advised.candidates.empty()) return advised;
  if (now.predictor == nullptr) return {.why_not = "no finding asks for it"};
  const int present = loader->prefetch_factor.value_or(2);
  const int doubled = present * 2;
  if (doubled * loader->workers > kMostBatchesAhead) {
    return {.why_not = "the workers are " + std::to_string(present * loader->workers) +
                       " batches prefetched already"};
  }
  const auto predicted =
      now.predictor->loader({.workers = loader->workers, .prefetch_factor = doubled});
  if (!predicted || predicted->hi < kLeastBestCase)
    return {.why_not = "its best case is under 1 %"};
  return {.candidates = {{.value = std::to_string(doubled),
                          .from = std::to_string(present),
                          .predicted = predicted,
                          .confidence = 0.5}}};
}

std::string present_prefetch_factor(const run::Report& report) {
  return report.loader ? std::to_string(report.loader->prefetch_factor.value_or(2)) : "";
}

}  // namespace

const Knob& dataloader_prefetch_factor() {
  static const Knob knob =
      declared(run::knob_id::kDataloaderPrefetchFactor,
               {.propose = propose_prefetch_factor, .present = present_prefetch_factor});
  return knob;
}

}  // namespace flatout::apply
