#include "serve/steps/step_lengths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace flatout::serve {
namespace {

constexpr std::size_t kBins = 60;

}  // namespace

StepLengths step_lengths(std::vector<float> lengths_ms) {
  if (lengths_ms.empty()) return {};
  std::ranges::sort(lengths_ms);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(lengths_ms.size() - 1);
    return static_cast<double>(lengths_ms[static_cast<std::size_t>(place)]);
  };
  StepLengths out{.edges_ms = std::vector<double>(kBins + 1),
                  .counts = std::vector<std::int64_t>(kBins, 0),
                  .p50_ms = at(0.5),
                  .p99_ms = at(0.99)};
  const double lo = at(0), hi = std::max(at(0.995), lo + 1e-6);
  for (std::size_t i = 0; i < out.edges_ms.size(); ++i) {
    out.edges_ms[i] = lo + (hi - lo) * static_cast<double>(i) / kBins;
  }
  for (const float length : lengths_ms) {
    const double bin = (static_cast<double>(length) - lo) / (hi - lo) * kBins;
    ++out.counts[static_cast<std::size_t>(std::clamp(bin, 0.0, kBins - 1.0))];
  }
  return out;
}

}  // namespace flatout::serve
