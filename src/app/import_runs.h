// Runs of other trackers as stored runs (`flatout import`). Main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace flatout::app {

struct ImportRequest {
  std::string home;
  std::vector<std::string> paths;
  bool again = false;  // also what was imported from the same place before
};

struct ImportOutcome {
  std::string source;  // "tensorboard", "wandb", "mlflow", "neptune"
  std::string path;
  std::string name;                // as the tracker calls it
  std::string run;                 // id in the home; "" where nothing was stored
  std::string problem;             // why nothing was stored, or only a part; "" = all is there
  bool known = false;              // `run` was imported before, and nothing was done
  std::uint64_t values = 0;        // numbers that were stored
  std::vector<std::string> notes;  // what could not be taken, one line each
};

// Each is stored for itself: one that cannot be read leaves the others. `each` is called after
// each. An error where a path holds no run at all, before anything is stored, or the home cannot be
// used.
base::Result<std::vector<ImportOutcome>> import_runs(
    const ImportRequest& request, const std::function<void(const ImportOutcome&)>& each = {});

}  // namespace flatout::app
