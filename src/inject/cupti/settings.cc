#include "inject/cupti/settings.h"

#include <cstdlib>
#include <cstring>

#include "inject/cupti/buffer_pool.h"

namespace flatout::inject::cupti {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t least, std::uint64_t most,
                        std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return otherwise;
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  return *end == '\0' && value >= least && value <= most ? value : otherwise;
}

}  // namespace

Settings settings_of_environment() {
  constexpr std::uint64_t kDayMs = 86'400'000;
  constexpr std::int64_t kNsOfMs = 1'000'000;
  Settings out;
  const char* mode = std::getenv("FLATOUT_TRACE");
  if (mode == nullptr) return out;
  if (std::strcmp(mode, "kernels") == 0) out.mode = Settings::Mode::kKernels;
  if (std::strcmp(mode, "windows") == 0) out.mode = Settings::Mode::kWindows;
  out.delay_ns =
      static_cast<std::int64_t>(number_of("FLATOUT_TRACE_DELAY_MS", 0, kDayMs, 2000)) * kNsOfMs;
  out.window_ns =
      static_cast<std::int64_t>(number_of("FLATOUT_TRACE_WINDOW_MS", 1, kDayMs, 500)) * kNsOfMs;
  out.buffer_bytes =
      number_of("FLATOUT_TRACE_BUFFER_BYTES", 1024, 64U << 20, out.buffer_bytes) / 8 * 8;
  out.buffers = number_of("FLATOUT_TRACE_BUFFERS", 1, BufferPool::kMostBuffers, out.buffers);
  const char* calls = std::getenv("FLATOUT_TRACE_CALLS");
  out.all_calls = calls != nullptr && std::strcmp(calls, "all") == 0;
  const char* home = std::getenv("CUDA_HOME");
  if (home != nullptr && std::strlen(home) < sizeof out.cuda_home) {
    std::strcpy(out.cuda_home, home);
  }
  return out;
}

}  // namespace flatout::inject::cupti
