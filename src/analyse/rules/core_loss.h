// Who keeps the training thread from a core, and how much of its time that costs. What
// cpu_contention and compute_bound share. Internal to rules/.
#pragma once

#include <optional>

#include "analyse/analysis.h"

namespace flatout::analyse {

struct CoreLoss {
  // kOwnThreads: the run's own threads and processes; kCpuQuota: the cgroup's; kOtherPrograms:
  // somebody else on the machine; kHypervisor: who shares the real one; kNone: cannot be known.
  run::Cause cause = run::Cause::kNone;
  double share = 0;      // of the time
  bool outside = false;  // nothing inside the program could change it
};

// The largest loss of 10 % or more that the program or its limits could be changed for; without
// one, the largest that lies outside; absent where less than 10 % is lost in all.
std::optional<CoreLoss> core_loss(const Analysis& analysis);

}  // namespace flatout::analyse
