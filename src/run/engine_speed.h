// How fast flatout's loading engine makes the samples of a run, as it was measured on some of
// their files once the program had ended.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace flatout::run {

struct EngineSpeed {
  double samples_per_s = 0;  // nothing else ran, as far as flatout knows; more than 0
  double cpu_ms = 0;         // CPU time of a sample, all threads; more than 0
  int threads = 1;
  double seconds = 0;  // that were counted
  int files = 0;       // it was measured on
  // Height and width to which they were cropped at random, where the dataset is the program's own
  // and what it does to a picture is not known. Absent: as the loader's transforms say.
  std::optional<std::array<int, 2>> size = std::nullopt;
};

// One of the two; neither where nobody looked.
struct EngineMeasurement {
  std::optional<EngineSpeed> speed = std::nullopt;
  std::string skipped = {};  // why it was not measured, one clause
};

}  // namespace flatout::run
