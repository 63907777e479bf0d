// What the client wants to see. Asked with the time of the call that an activity comes from, as its
// place on the timeline may become known later.
#pragma once

#include <cupti.h>

#include <array>
#include <map>
#include <vector>

#include "core/clock.h"
#include "core/observer.h"

namespace simgpu::cupti {

class Selection {
 public:
  // For all contexts, or for that of one device, which then goes before the former
  // (cuptiActivityEnableContext).
  void set(CUpti_ActivityKind kind, bool on);
  void set_for(CUpti_ActivityKind kind, int device, bool on);
  bool is_on(CUpti_ActivityKind kind, int device, Nanoseconds at) const;

  // Single functions (cuptiActivityEnableRuntimeApi); set() of the kind goes over them.
  CUptiResult set_function(ApiDomain domain, std::uint32_t function, bool on);
  bool traces(ApiDomain domain, std::uint32_t function, int device, Nanoseconds at) const;

 private:
  struct Change {
    Nanoseconds at = 0;
    bool everywhere = false;
    std::map<int, bool> of_device;
  };
  Change& next_change(CUpti_ActivityKind kind);
  std::vector<bool>& functions(ApiDomain domain);

  std::array<std::vector<Change>, CUPTI_ACTIVITY_KIND_COUNT> changes_;
  std::vector<bool> runtime_, driver_;
};

}  // namespace simgpu::cupti
