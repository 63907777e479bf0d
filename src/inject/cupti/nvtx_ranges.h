// Ranges that the program marks with NVTX (torch.cuda.nvtx.range, nvtxRangePush), while a window of
// tracing is on. NVTX loads us by NVTX_INJECTION64_PATH at its first call, with or without CUDA.
//
// Push and pop, ranges with a begin and an end of their own (nvtxRangeStart) and marks are seen, of
// all domains together. A range counts where all of it lies in a window. What NVTX's functions give
// to the program is what they give without a tool, but for the number of a range that is started in
// a window, by which nvtxRangeEnd names it: without a tool that is 0.
#pragma once

#include <cstdint>

#include "inject/cupti/nvtx_layout.h"
#include "inject/cupti/trace_ring.h"

namespace flatout::inject::cupti {

// False where this NVTX has no tables that we know; it then works as without a tool. Any thread.
bool watch_nvtx(NvtxGetTable get_table);

// From now on ranges count; called by the agent. `when_many` is called, from any thread of the
// program, when they should be taken soon.
void begin_ranges(std::int64_t now_ns, void (*when_many)());
// No longer. Also what a child of fork() calls.
void end_ranges();

// Writes those that have ended. One thread.
void write_ranges(TraceRing& ring);
// That were left out since the last call.
std::uint64_t take_lost_ranges();

}  // namespace flatout::inject::cupti
