// What a loader may use of the machine, and what follows from it where nobody said a number. Pure:
// who reads the machine is the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "data/tune/setting.h"

namespace flatout::data::tune {

struct Machine {
  int cores = 1;                        // that affinity and the cgroup's quota leave, at least 1
  double cpus = 1;                      // the same, of which a quota may leave a part
  std::size_t memory_bytes = SIZE_MAX;  // of the cgroup, or of the machine
  // Processes of this job on it, as its launcher says; absent where nobody does.
  std::optional<int> told_processes = std::nullopt;
};

// What is asked for; 0 where nothing is said.
struct Asked {
  int threads = 0;
  std::size_t ahead = 0;  // batches that are made before they are asked for
  bool tune = true;       // those that are 0 may be changed while the loader runs
};

// Batches that are made before they are asked for, where nothing is said.
constexpr std::size_t kFirstAhead = 2;

// Processes that share the machine. Where it is not told, all `ranks` may be here.
std::int64_t processes_here(const Machine& machine, std::int64_t ranks);

// The most threads that a tuned loader may come to.
int most_threads(const Machine& machine);

// Threads to begin with.
int first_threads(const Machine& machine, const Asked& asked);

// What the tuner may do with batches of `batch_size` samples of `sample_bytes`; absent where it was
// not asked for, or both numbers are given.
std::optional<Bounds> bounds_of(const Machine& machine, const Asked& asked, std::int64_t ranks,
                                std::size_t sample_bytes, std::size_t batch_size);

}  // namespace flatout::data::tune
