// What a kernel trace says of one device. Shares are of its window: from the device's first to its
// last activity, of a run what was traced of that.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
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

struct KernelsReport {
  std::int64_t count = 0;
  double time_ms = 0;                       // sum over all, on whatever stream
  std::optional<double> short_share;        // of their number: under 10 us; absent without kernels
  std::optional<double> tensor_core_share;  // of their time; absent without kernels
  std::optional<double> could_use_share;    // of their time: multiplies matrices; not shown
  std::vector<KernelNameReport> top;        // by time, at most 10
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

struct KernelTraceReport {
  bool of_steps = false;  // of the traced time in a run's steady steps alone
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
  // Of the window: copies of checkpoints and evaluations, whatever ran meanwhile. Not shown.
  double copies_in_checkpoint = 0;
  KernelsReport kernels;
  CopiesReport copies;
  CommReport comm;
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
