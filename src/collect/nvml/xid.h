// XID errors: what the driver reports of faults of a device or of its programs, as
// they happen. Asked without waiting. One thread.
#pragma once

#include <optional>
#include <span>

#include "collect/nvml/session.h"

namespace flatout::collect::nvml {

class XidWatch {
 public:
  // Registers all devices; one that cannot be gets its reason in `unavailable`.
  void start(Driver& driver, std::span<Session* const> devices);
  void read(Driver& driver, std::span<Session* const> devices, base::TimeNs now);
  void stop(Driver& driver);

 private:
  std::optional<EventSet> set_;
  base::TimeNs next_ns_ = 0;
};

}  // namespace flatout::collect::nvml
