// Any bytes as a trace in Chrome's format: read, made a Timeline, explained. What the analysis says
// of a device sums to the whole, whatever the trace holds.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "analyse/analyse.h"
#include "trace/byte_source.h"
#include "trace/chrome/read_events.h"
#include "trace/kineto/timeline_builder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file
  trace::MemoryBytes bytes({reinterpret_cast<const char*>(data), size});
  trace::TimelineBuilder builder;
  if (!trace::read_chrome(bytes, builder)) return 0;
  const run::Report report = analyse::analyse(builder.take("trace.json"));
  for (const run::DeviceReport& device : report.devices) {
    if (!device.trace || device.trace->window_ms <= 0) continue;
    if (std::abs(device.trace->busy + device.trace->idle - 1) > 1e-6) std::abort();
    if (!device.trace->idle_account) continue;
    const run::IdleAccountReport& why = *device.trace->idle_account;
    const double sum = why.data + why.copy + why.launch + why.sync + why.peer + why.startup +
                       why.checkpoint + why.throttle + why.unexplained;
    if (std::abs(sum - device.trace->idle) > 1e-6) std::abort();
  }
  return 0;
}
