// What the environment asks of the agent, read once: the program may change it while others read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::inject::cupti {

struct Settings {
  enum class Mode : std::uint8_t { kOff, kKernels, kWindows };
  Mode mode = Mode::kOff;                 // FLATOUT_TRACE
  std::int64_t delay_ns = 2'000'000'000;  // FLATOUT_TRACE_DELAY_MS
  std::int64_t window_ns = 500'000'000;   // FLATOUT_TRACE_WINDOW_MS
  std::size_t buffer_bytes = 1U << 20;    // FLATOUT_TRACE_BUFFER_BYTES
  std::size_t buffers = 64;               // FLATOUT_TRACE_BUFFERS, at most
  bool all_calls = false;                 // FLATOUT_TRACE_CALLS is "all": CUPTI selects none
  char cuda_home[512] = "";               // CUDA_HOME
};

// A value that is no number, or out of its bounds, counts as not said.
Settings settings_of_environment();

}  // namespace flatout::inject::cupti
