#include "core/placement.h"

#include <unistd.h>

#include <algorithm>

#include "core/config.h"
#include "core/observer.h"
#include "core/power.h"
#include "core/process.h"
#include "core/shared_device.h"
#include "core/truth.h"

namespace simgpu {
namespace {

Engine& engine_for(SharedDevice& device, OpKind kind) {
  if (kind == OpKind::kCopyToDevice) {
    return device.to_device;
  }
  return kind == OpKind::kCopyToHost || kind == OpKind::kCopyPeer ? device.to_host : device.compute;
}

// A kernel's memory traffic is not known here: NVML's utilization.memory is that of copies and
// sets, and half of the kernels' time.
void count_busy(SharedDevice& device, const PlacedOperation& placed) {
  device.any.add(placed.start, placed.end);
  if (placed.what.kind == OpKind::kKernel) {
    device.kernels.add(placed.start, placed.end);
    if (ProcessMemory* const row = row_of(device, getpid())) {
      row->kernels.add(placed.start, placed.end);
    }
    device.memory.add(placed.start, placed.start + (placed.end - placed.start) / 2);
    return;
  }
  device.memory.add(placed.start, placed.end);
  if (placed.what.kind == OpKind::kCopyToDevice) {
    device.copies_to_device.add(placed.start, placed.end, placed.what.bytes);
  } else if (placed.what.kind == OpKind::kCopyToHost) {
    device.copies_to_host.add(placed.start, placed.end, placed.what.bytes);
  }
}

void tell(const PlacedOperation& placed) {
  truth::write(placed);
  if (Observer* const looking = observer()) {
    looking->placed(placed);
  }
}

void fail_where_asked(Process& here, const PlacedOperation& placed) {
  if (placed.what.kind == OpKind::kKernel && ++here.launches == config().fault_at_launch) {
    here.sticky = kIllegalAddress;
    here.sticky_from = placed.end;
    if (SharedDevice* const device = shared_device(placed.device)) {
      const SharedLock guard(*device);
      device->faults.at[device->faults.count++ % Faults::kMost] = placed.end;
    }
  }
}

PlacedOperation placed_for(const Operation& what, const Stream& stream, const Place& place) {
  return {.what = what,
          .enqueued = place.enqueued,
          .start = 0,
          .end = 0,
          .device = stream.device,
          .stream = stream.number,
          .correlation = place.correlation,
          .graph = place.graph,
          .graph_node = place.graph_node};
}

}  // namespace

PlacedOperation place(const Operation& what, const Stream& stream, const Place& place,
                      Nanoseconds ready) {
  PlacedOperation placed = placed_for(what, stream, place);
  const Nanoseconds earliest =
      std::max(ready, place.enqueued + spec_of(stream.device).launch_latency_ns);
  if (SharedDevice* const device = shared_device(stream.device)) {
    const SharedLock guard(*device);
    const double clock =
        what.kind == OpKind::kKernel ? clock_share(*device, stream.device, earliest) : 1;
    const auto duration = static_cast<Nanoseconds>(static_cast<double>(what.duration) / clock);
    placed.start =
        engine_for(*device, what.kind).place(earliest, duration, getpid(), what.shares_sms);
    placed.end = placed.start + duration;
    count_busy(*device, placed);
  } else {
    placed.start = earliest;
    placed.end = earliest + what.duration;
  }
  fail_where_asked(process(), placed);
  tell(placed);
  return placed;
}

PlacedOperation place_between(const Operation& what, const Stream& stream, const Place& place,
                              Nanoseconds start, Nanoseconds end) {
  PlacedOperation placed = placed_for(what, stream, place);
  placed.start = start;
  placed.end = end;
  if (SharedDevice* const device = shared_device(stream.device)) {
    const SharedLock guard(*device);
    count_busy(*device, placed);
  }
  tell(placed);
  return placed;
}

}  // namespace simgpu
