#include "analyse/kernels/kernel_insights.h"

#include <cmath>

#include "analyse/kernels/fusible_chains.h"
#include "analyse/kernels/kernel_lengths.h"
#include "analyse/kernels/launch_delays.h"
#include "analyse/kernels/repeated_launches.h"
#include "analyse/kernels/short_collectives.h"

namespace flatout::analyse {

void add_kernel_insights(const run::ProcessTrack& process, const run::NameTable& names,
                         const HostTimeline& host, std::uint16_t device,
                         std::span<const Step> steps, run::KernelTraceReport& report) {
  FusibleChains chains(names);
  ShortCollectives collectives(names);
  LaunchDelays delays(host);
  KernelLengths lengths;
  for (const run::DeviceActivity& activity : process.activities) {
    if (activity.device != device) continue;
    chains.add(activity);
    collectives.add(activity);
    delays.add(activity);
    const bool kernel = activity.kind == run::ActivityKind::kKernel;
    if (kernel) lengths.add(activity.end_ns - activity.begin_ns);
  }
  report.kernels.lengths = lengths.buckets();
  report.launches = delays.report();
  chains.report(report.patterns);
  collectives.report(report.patterns, std::llround(report.window_ms * 1e6));
  report.patterns.repeated = find_repeated_launches(process, names, host, device, steps);
}

}  // namespace flatout::analyse
