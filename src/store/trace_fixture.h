// A made-up kernel trace, as a ring gives it: nearly in order of time. For tests and benchmarks
// only.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "run/activity.h"

namespace flatout::store {

struct SampleTrace {
  std::vector<run::TraceName> names;
  std::vector<run::DeviceActivity> activities;
  std::vector<run::HostSpan> spans;
  std::vector<run::TraceWindow> windows;
};

// `kernels` launches from `start_ns` on, some of them inside a range that began before.
inline SampleTrace sample_trace(int kernels, std::int64_t start_ns, unsigned seed = 1) {
  std::minstd_rand dice(seed);
  const auto upto = [&dice](std::uint32_t most) {
    return static_cast<std::int64_t>(dice() % (most + 1));
  };
  SampleTrace trace;
  constexpr std::uint32_t kNames = 40;
  for (std::uint32_t i = 1; i <= kNames; ++i) {
    trace.names.push_back({.in_ring = i + 100, .number = i, .text = "kernel_" + std::to_string(i)});
  }
  std::int64_t t = start_ns;
  std::uint64_t correlation = 1000;
  for (int i = 0; i < kernels; ++i) {
    const std::int64_t called = t += 3'000 + upto(4'000);
    run::HostSpan call{.begin_ns = called,
                       .end_ns = called + 2'000 + upto(3'000),
                       .correlation = ++correlation,
                       .name = 1,
                       .lane = static_cast<std::uint16_t>(run::kFirstTraceLane + (i % 50 == 0)),
                       .kind = run::HostSpanKind::kCall};
    run::DeviceActivity kernel;
    kernel.begin_ns = call.end_ns + upto(20'000);
    kernel.end_ns = kernel.begin_ns + upto(15'000);
    kernel.correlation = correlation;
    kernel.name = static_cast<std::uint32_t>(2 + upto(kNames - 2));
    kernel.stream = i % 17 == 0 ? 13 : 7;
    if (i % 23 == 0) {
      kernel.kind = run::ActivityKind::kCopy;
      kernel.direction = run::CopyDirection::kHostToDevice;
      kernel.host_memory = run::HostMemory::kPageable;
      kernel.bytes = 1024U * static_cast<std::uint64_t>(1 + upto(1000));
    }
    trace.activities.push_back(kernel);
    trace.spans.push_back(call);
    if (i % 100 == 99) {  // a range that holds the last few; it is known by its end
      trace.spans.push_back({.begin_ns = trace.spans[trace.spans.size() - 5].begin_ns,
                             .end_ns = call.end_ns,
                             .correlation = 0,
                             .name = 2,
                             .lane = run::kFirstTraceLane,
                             .kind = run::HostSpanKind::kAnnotation});
      trace.spans.push_back({.begin_ns = call.begin_ns - 90'000,
                             .end_ns = call.end_ns,
                             .correlation = 0,
                             .name = 3,
                             .lane = run::kFirstTraceLane + 1,
                             .kind = run::HostSpanKind::kRange});
      trace.spans.push_back({.begin_ns = call.end_ns,
                             .end_ns = call.end_ns,
                             .correlation = 0,
                             .name = 4,
                             .lane = run::kFirstTraceLane,
                             .kind = run::HostSpanKind::kMark});
    }
  }
  trace.windows.push_back({.begin_ns = start_ns, .end_ns = t + 100'000, .dropped = 3});
  return trace;
}

}  // namespace flatout::store
