// How long steps are, as a histogram. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace flatout::serve {

struct StepLengths {
  std::vector<double> edges_ms;  // one more than counts; none without steps
  std::vector<std::int64_t> counts;
  std::optional<double> p50_ms, p99_ms;
};

// The last bin holds all that is longer than 99.5 % of them.
StepLengths step_lengths(std::vector<float> lengths_ms);

}  // namespace flatout::serve
