// What a kernel trace says of one device. Shares are of its window: from the device's first to its
// last activity, of a run what was traced of that.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/idle_cause.h"

namespace flatout::run {

// Shares of the window in which the device idled, by IdleCause; they sum to `idle`.
struct IdleAccountReport {
  std::array<double, kIdleCauses> shares{};
  double operator[](IdleCause cause) const { return shares[static_cast<std::size_t>(cause)]; }
};

// Kernels of one name.
struct KernelNameReport {
  std::string name;
  std::string kernel_class;  // "gemm", as analyse/kernels/kernel_class.h names it
  std::int64_t count = 0;
  double time_ms = 0;
};

// Kernels that took from_us or longer, and less than to_us: powers of two, the first from 0.
struct KernelBucketReport {
  double from_us = 0;
  double to_us = 0;
  std::int64_t count = 0;
  double time_ms = 0;
};

struct KernelsReport {
  std::int64_t count = 0;
  double time_ms = 0;                       // sum over all, on whatever stream
  std::optional<double> short_share;        // of their number: under 10 us; absent without kernels
  std::optional<double> tensor_core_share;  // of their time; absent without kernels
  std::optional<double> graph_share;        // of their number: nodes of CUDA graphs; absent: none
  std::optional<double> could_use_share;    // of their time: multiplies matrices; not shown
  std::vector<KernelNameReport> top;        // by time, at most 10
  // By length, from the shortest to the longest that ran, without holes; counts sum to `count`.
  std::vector<KernelBucketReport> lengths;
};

// Absent where the trace does not tell.
struct CopiesReport {
  std::optional<std::int64_t> h2d_bytes, d2h_bytes;
  double h2d_ms = 0, d2h_ms = 0;
  std::optional<double> pageable_share;  // of the bytes copied from the host; absent without any
};

struct CommReport {
  double time_ms = 0;             // in which a collective ran
  double exposed_ms = 0;          // and nothing computed
  std::optional<double> overlap;  // share of time_ms in which something did; absent without any
};

// Calls that waited for the device, of one caller: analyse/kernels/wait_table.h. What is not known
// is
// "".
struct WaitReport {
  std::string at;        // "file:line" that calls; of a trace, at which its function begins
  std::string function;  // of a trace: that function
  std::string by;        // the library's place below it that called, where one did
  std::string op;        // "item", "aten::nonzero"
  std::string api;       // "cudaStreamSynchronize"; "" without a kernel trace
  std::string range;     // that the program marked around it
  std::int64_t count = 0;
  double time_ms = 0;
  std::optional<double> idle_ms = {};  // of the device, that it cost; absent without a kernel trace
  bool rest = false;                   // all callers that have no row of their own
};

// How far the host was ahead of the device: analyse/kernels/launch_delays.h.
struct LaunchesReport {
  std::int64_t count = 0;  // of which both the call and what it launched are in the trace
  double delay_us_median = 0;
  double delay_us_p95 = 0;
  std::optional<double> empty_queue_share;  // absent where no stream had two
};

// Launched and not yet begun, weighted by time: analyse/kernels/queue_depth.h.
struct QueueReport {
  double depth_mean = 0;
  double depth_median = 0;
  double depth_p95 = 0;
  double depth_max = 0;
  double empty_share = 0;  // of the time: nothing waited
};

// What a data sheet says of the device; TFLOP/s without sparsity.
struct PeaksReport {
  std::string source;
  double float32_tflops = 0;
  std::optional<double> tf32_tflops, float16_tflops, bfloat16_tflops, float8_tflops;
  double memory_gb_per_s = 0;
};

// Lower bounds, over the time of the class's kernels of which the shapes are known. Shares are of
// the device's peaks, absent where they are not known.
struct RooflineClassReport {
  std::string kernel_class;
  double time_ms = 0;      // of all its kernels
  double known_share = 0;  // of that time: the shapes are known
  std::optional<double> tflops, gb_per_s, flops_per_byte;
  std::optional<double> compute_share, bandwidth_share;
  std::optional<double> roof_share;      // least time by the roof that binds, over the time it took
  std::string bound;                     // "compute", "memory"; "" = not known
  std::optional<double> odd_dims_share;  // of known time: dimensions that are no multiples of 8
};

// analyse/kernels/roofline.h
struct RooflineReport {
  double known_share = 0;  // of the time of all kernels but collectives
  // FLOPs of the ops with known shapes over the window; the same as a share of what the device
  // could have computed in it, each type against its own peak.
  std::optional<double> tflops, flops_utilization;
  std::optional<PeaksReport> peaks;          // absent: the device is not known
  std::vector<RooflineClassReport> classes;  // with known shapes; most time first
};

struct StepMemoryReport {
  std::int64_t step = 0;  // of the trace, the first is 1
  std::int64_t peak_allocated_bytes = 0;
};

// Of the framework's allocator; what tensors have is allocated, what it has of the driver reserved.
struct AllocatorReport {
  std::int64_t peak_allocated_bytes = 0;
  std::optional<std::int64_t> peak_at_step;  // the first is 1; absent outside of steps
  std::optional<std::int64_t> peak_reserved_bytes;
  std::optional<std::int64_t> free_at_peak_bytes;  // reserved and not allocated, at that time
  std::vector<StepMemoryReport> steps;             // at most 1000
  // Of a run: read at ends of steps, and not at each change as in a trace.
  bool sampled = false;
  // Where it is not known in which step: at the end of the one it was not reached, at that of the
  // other it was. Absent: reached before any sample.
  std::optional<std::int64_t> peak_after_step, peak_by_step;
  std::optional<std::int64_t> retries_in_steps;  // gave back what it kept, for want of room: steady
  std::optional<std::int64_t> ooms;              // allocations that failed, in the whole run
  std::int64_t processes = 1;  // of the run on the device: all figures are sums over theirs
};

// What would be saved if some work took no time: analyse/kernels/free_work.h.
struct FreeWorkReport {
  double of_ms = 0;  // length of the steps, or of the trace without any
  // Share of it that would be saved at most, by work: "launch", "gemm". Each for itself.
  std::vector<std::pair<std::string, double>> saves;
};

// Launches of the steps: analyse/kernels/repeated_launches.h.
struct RepeatedLaunchesReport {
  std::int64_t steps = 0;      // looked at
  std::int64_t repeated = 0;   // of them, those that launch the same kernels in the same order
  std::int64_t kernels = 0;    // of one such step
  std::int64_t with_wait = 0;  // of `repeated`: the host waits or copies between their kernels
  double in_graphs_share = 0;  // of their kernels: nodes of graphs, or launched by one call
};

// What rules ask of the kernels beyond that; not shown. Shares of kernel time are of the kernels
// that are no collectives.
struct KernelPatternsReport {
  double layout_share = 0;        // of kernel time: changes the layout alone
  double strided_copy_share = 0;  // of kernel time: PyTorch's copies of tensors with strides
  double chain_share = 0;         // of kernel time, in chains: analyse/kernels/fusible_chains.h
  double fusible_share = 0;       // of kernel time: all but the longest of each chain
  std::int64_t chain_kernels = 0;
  std::int64_t chains = 0;
  std::int64_t collectives = 0;
  std::int64_t short_collectives = 0;
  double short_comm_exposed = 0;  // of the window: what the short ones add to comm_exposed
  std::optional<RepeatedLaunchesReport> repeated;  // absent without steps
};

// Shares of the steps' time. Not shown.
struct BeyondWindowReport {
  double idle = 0;            // before the device's window and after it: it idled
  double outside_phases = 0;  // of that, while the thread that trains is in none of its phases
};

struct KernelTraceReport {
  std::optional<int> capability_major;  // of the device, where the trace has it. Not shown.
  bool of_steps = false;                // of the traced time in a run's steady steps alone
  double busy = 0;
  double compute = 0;
  double comm_exposed = 0;
  double copy_exposed = 0;
  double idle = 0;
  double window_ms = 0;
  std::optional<IdleAccountReport> idle_account;  // absent where nothing is known of the host
  // Of the window: the part of `launch` in which the host is outside of the framework.
  std::optional<double> launch_in_python;
  // Likewise: of `launch`, while the thread that trains is in none of its phases. Not shown.
  std::optional<double> launch_outside_phases;
  // Of another tool's trace with steps: the window is not that of the steps.
  BeyondWindowReport beyond;
  // Of the window: copies of checkpoints and evaluations, whatever ran meanwhile. Not shown.
  double copies_in_checkpoint = 0;
  KernelsReport kernels;
  CopiesReport copies;
  CommReport comm;
  std::optional<LaunchesReport> launches;   // absent where no launch is known
  std::optional<QueueReport> queue;         // likewise
  std::optional<RooflineReport> roofline;   // absent where no shape is known
  std::optional<AllocatorReport> memory;    // absent where the trace does not have it
  std::vector<WaitReport> waits;            // most idle time first, the rest last
  std::optional<FreeWorkReport> free_work;  // of the device's process; absent without launches
  KernelPatternsReport patterns;
};

// Of a run that was asked for a kernel trace: what became of it, and how much of it was traced.
struct TracingReport {
  std::string state;                         // "on", "yielded", "failed", "absent"
  std::string why;                           // "" where it is on and all came
  std::string cupti;                         // version; "" = not known
  std::optional<std::int64_t> windows = {};  // of the process with the most; absent without any
  std::optional<double> traced_s = {};       // their sum
  std::optional<double> share = {};          // of the run's time
  // Records, of all processes: for which CUPTI or the ring had no room.
  std::uint64_t dropped = 0;
};

}  // namespace flatout::run
