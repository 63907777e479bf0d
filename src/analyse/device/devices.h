// The devices' busy time. Without an accelerator the CPU is the device, and
// busy is the step thread's time in forward, backward and optimizer.
#pragma once

#include <vector>

#include "analyse/analysis.h"
#include "run/report.h"

namespace flatout::analyse {

// Busy share of one window, in order of time.
struct BusyWindow {
  std::int64_t begin_ns = 0;
  double busy = 0;
};

// Steady time in windows of 1 s, or of four steps where four steps are longer.
// Intervals do not count: a window is of step time. The last, incomplete
// window is left out unless it is the only one.
std::vector<BusyWindow> busy_windows(const Analysis& analysis);

// mean over steady time; p10, p50, p90 over the windows. A step is idle where
// at least 10 % of it is not busy. Pattern:
//   sawtooth  at least four steady steps, four of five of them idle, and of even
//             length (MAD at most a quarter of the median). Period = median
//             step, duty = busy share. The source resolves every span, so four
//             cycles are all that it needs;
//   flat      busy >= 0.9 in every window; or the windows' standard deviation
//             is at most 0.05 and less than one step in five is idle;
//   ""        not resolved.
std::optional<run::Utilization> cpu_utilization(const Analysis& analysis);

// The CPU first where the steps run on it; then each device that a driver told
// of, visible to the program or not. Without a driver's word, what the hooks
// saw. The use of the steps' own device is the driver's; of events where the
// driver gives none. Without steps: what the driver said over the whole run of
// the devices that it used, and no CPU. Each has what a kernel trace says of it.
std::vector<run::DeviceReport> measure_devices(const run::Timeline& timeline,
                                               const Analysis& analysis);

}  // namespace flatout::analyse
