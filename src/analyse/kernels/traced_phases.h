// The device's time over the steps by phase, from a kernel trace: as steps.phases_device has it of
// polled events.
//
// What runs belongs to the phase in which the step thread was when it was launched, by whichever
// thread; collectives are comm, copies from the host h2d. Where several run at once the one that
// began first has the time. What the device idles belongs to the phase in which the step thread is
// then if that phase launches nothing (data_wait, sync, checkpoint, comm), else to other.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "analyse/kernels/host_timeline.h"
#include "analyse/steps.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Shares of the steps' own time, which they sum to; empty without a trace or steps. Of the device
// with the most kernels of this process.
std::map<run::Phase, double> traced_phases(const run::ProcessTrack& process,
                                           const run::NameTable& names, const HostTimeline& host,
                                           std::uint16_t lane, std::span<const Step> steps);

}  // namespace flatout::analyse
