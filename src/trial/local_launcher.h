// Trials on this machine, one a device. Main thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "trial/cpu_sets.h"
#include "trial/launcher.h"

namespace flatout::trial {

struct LocalSlots {
  int count = 1;
  // What CUDA_VISIBLE_DEVICES says in each slot, one entry for each; empty: the
  // trials are not told of devices.
  std::vector<std::string> devices = {};
};

// Several slots get disjoint sets of CPUs, to which their trials are pinned; a single
// one has what this process has. kInvalid where there are fewer CPUs than slots.
// `flatout`: the binary.
base::Result<std::unique_ptr<Launcher>> make_local_launcher(const std::filesystem::path& flatout,
                                                            const LocalSlots& slots,
                                                            const std::vector<Cpus>& cores);

}  // namespace flatout::trial
