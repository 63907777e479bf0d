// What is exported: the name that CUDA calls, and those that flatout's hooks call.
#include <atomic>

#include "inject/cupti/agent.h"

extern "C" {

// By the driver, within cuInit(), of the library that CUDA_INJECTION64_PATH names. 1: all is well,
// whatever comes of it.
__attribute__((visibility("default"))) int InitializeInjection() {
  static std::atomic<bool> done{false};
  if (!done.exchange(true)) flatout::inject::cupti::start_agent();
  return 1;
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
