// Which numbers of loader workers come into question, and which of them the
// model favours. Internal to advise/.
#pragma once

#include <optional>
#include <vector>

#include "run/predictor.h"
#include "run/report.h"

namespace flatout::advise {

// Ascending, 0 first, without the present number, up to run::most_useful_workers.
std::vector<int> worker_candidates(const run::LoaderReport& loader, const run::HostReport& host);

struct WorkerChoice {
  run::LoaderSetting setting;
  run::Speedup predicted;
  bool at_bound = false;  // no larger number was allowed
};

// The fewest workers within 3 % of the best prediction. Absent where nothing
// is predicted, or nothing gains kMinGain.
std::optional<WorkerChoice> choose_workers(const run::LoaderReport& loader,
                                           const run::HostReport& host,
                                           const run::Predictor& predictor);

// The smallest prefetch_factor that gains over 2 % with this many workers, with
// its gain over the present factor there. Absent where none does.
std::optional<WorkerChoice> choose_prefetch(const run::LoaderReport& loader, int workers,
                                            const run::Predictor& predictor);

// As the loader stands now; PyTorch's default factor is 2.
run::LoaderSetting present_setting(const run::LoaderReport& loader);

}  // namespace flatout::advise
