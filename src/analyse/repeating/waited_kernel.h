// Steps of one single kernel, which no order of kernels can show: the same one comes again and
// again, and one time is as good as the next. What the host does says more: where it waits for each
// before it launches the next, each is a turn of its loop.
//
// So there must be more than 128 of them and hardly anything else (a twentieth of the activities),
// and nine in ten of the times between two of them must hold the end of a wait for the device
// (cudaDeviceSynchronize and the like). A kernel that is launched ahead of the device is none,
// however even: that may be a layer, or one of many sweeps of a solver. Nor is a trace without the
// host's calls any.
//
// Where several are launched between two waits, waited_bursts.h has the turns. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "analyse/repeating/kernel_period.h"
#include "run/timeline.h"

namespace flatout::analyse {

// The symbol of the kernel that nearly all is, as above; absent where there is none.
std::optional<std::uint32_t> only_kernel(const KernelSequence& sequence);

// Of the sequence of `device`, in which find_kernel_period() found none, or only a copy to the host
// that comes back: a period of length 1.
std::optional<KernelPeriod> find_waited_kernel(const run::ProcessTrack& process,
                                               std::uint16_t device, const run::NameTable& names,
                                               const KernelSequence& sequence);

}  // namespace flatout::analyse
