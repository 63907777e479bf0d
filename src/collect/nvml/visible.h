// What of the machine's devices a CUDA program sees, by CUDA_VISIBLE_DEVICES as
// it was when the run began. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace flatout::collect::nvml {

struct VisibleSetting {
  std::optional<std::string> devices;  // CUDA_VISIBLE_DEVICES; absent = not set
  std::string order;                   // CUDA_DEVICE_ORDER, "" = not set
};

// A device as far as visibility depends on it, in the driver's order.
struct Candidate {
  std::string uuid;
  std::string name;
  bool mig_parent = false;    // MIG is on: not usable itself
  bool mig_instance = false;  // usable by its UUID only
};

struct Visible {
  std::vector<std::optional<int>> index;  // one for each candidate
  std::string unknown;                    // why nothing can be known, "" = it can
};

// Entries are indices, UUIDs or the beginning of one; the first that is none of
// them ends the list, and an entry named twice makes CUDA see nothing. Indices
// follow CUDA's order, fastest first, which is the driver's only where all
// devices are alike or CUDA_DEVICE_ORDER=PCI_BUS_ID.
Visible visible_devices(const VisibleSetting& setting, const std::vector<Candidate>& candidates);

}  // namespace flatout::collect::nvml
