#include "analyse/outside_load.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

constexpr double kLoaded = 0.10;  // cpu_contention's warning
constexpr double kStarved = 0.50;
constexpr double kLoadedConfidence = 0.7;   // "medium"
constexpr double kStarvedConfidence = 0.4;  // "low"

}  // namespace

const run::Finding* outside_load(std::span<const run::Finding> findings) {
  const auto load = std::ranges::find(findings, "cpu_contention", &run::Finding::id);
  if (load == findings.end() || !load->outside || load->share < kLoaded) return nullptr;
  return &*load;
}

void doubt_loaded(std::span<run::Finding> findings) {
  const run::Finding* load = outside_load(findings);
  if (load == nullptr) return;
  for (run::Finding& finding : findings) {
    if (&finding == load) continue;  // the kernel counts that time
    finding.confidence = std::min(finding.confidence, most_confidence(load));
  }
}

double most_confidence(const run::Finding* load) {
  if (load == nullptr) return 1;
  return load->share < kStarved ? kLoadedConfidence : kStarvedConfidence;
}

}  // namespace flatout::analyse
