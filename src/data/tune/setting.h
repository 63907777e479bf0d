// What a tuner turns, how far, and what it did.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace flatout::data::tune {

struct Setting {
  int threads = 1;        // that make samples
  std::size_t ahead = 2;  // batches made before they are asked for

  bool operator==(const Setting&) const = default;
};

struct Bounds {
  double cores = 1;            // CPUs that affinity and the cgroup's quota leave
  int most_threads = 1;        // at least 1
  std::size_t most_ahead = 2;  // at least 1; by the memory that batches may take
  std::size_t batch_size = 1;  // samples
  bool tune_threads = true;    // false: they stay as they were asked for
  bool tune_ahead = true;      // likewise
};

struct Change {
  base::TimeNs at = 0;
  Setting from;
  Setting to;
  const char* why = "";      // a clause, for people
  const char* looking = "";  // likewise: why it looked for a better setting
};

}  // namespace flatout::data::tune
