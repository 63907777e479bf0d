// What is exported: the name that CUDA calls, and those that flatout's hooks call.
#include <atomic>

#include "inject/cupti/agent.h"
#include "inject/cupti/nvtx_ranges.h"

extern "C" {

// By the driver, within cuInit(), of the library that CUDA_INJECTION64_PATH names. 1: all is well,
// whatever comes of it.
__attribute__((visibility("default"))) int InitializeInjection() {
  static std::atomic<bool> done{false};
  if (!done.exchange(true)) flatout::inject::cupti::start_agent();
  return 1;
}

// By NVTX, at the program's first call of it, of the library that NVTX_INJECTION64_PATH names. 0:
// NVTX goes on as without a tool.
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    flatout::inject::cupti::NvtxGetTable get_table) {
  return flatout::inject::cupti::watch_nvtx(get_table) ? 1 : 0;
}

// Before another client of CUPTI begins in this process, who is named: torch.profiler. Tracing is
// off when it returns, and does not come back. 0.
__attribute__((visibility("default"))) int flatout_trace_yield(const char* who) {
  flatout::inject::cupti::yield_agent(who);
  return 0;
}

// Once steps have begun, after those that are warm-up. 0.
__attribute__((visibility("default"))) int flatout_trace_steps() {
  flatout::inject::cupti::note_steps();
  return 0;
}
}
