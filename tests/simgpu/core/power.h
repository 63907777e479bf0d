// Power, clocks and heat of a device, from how busy it was. With the shared device's lock held.
#pragma once

#include "core/device_spec.h"
#include "core/shared_device.h"

namespace simgpu {

struct PowerState {
  double power_w;  // over the last 100 ms
  double limit_w;
  double temperature_c;
  double clock_share;  // of the full clock; 1 where nothing holds it down
  bool power_capped;
  bool thermally_slowed;
};

// The state at `at`, with energy and temperature brought up to now. A device draws idle_w when idle
// and limit_w when busy (the table's limit, whatever limit is set); a lower limit takes clock away
// in proportion. Temperature follows power with one time constant of 10 s.
PowerState power_state(SharedDevice& device, int index, Nanoseconds at);

// PowerState::clock_share at `at`, for every launch: it costs next to nothing where nothing holds
// the clock down.
double clock_share(SharedDevice& device, int index, Nanoseconds at);

}  // namespace simgpu
