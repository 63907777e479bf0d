#include <sys/time.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "collect/nvml/fake/state.h"

namespace fake_nvml {

std::unique_ptr<State> state;

namespace {

std::atomic<long long> clock_us{0};  // 0 = the machine's clock

bool applies(const Trouble& trouble, const char* call, double t) {
  return trouble.call == call && t >= trouble.from && t < trouble.to;
}

void hang(const std::vector<Trouble>& hangs, const char* call) {
  for (const Trouble& one : hangs) {
    while (applies(one, call, now())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Return failure(const std::vector<Trouble>& failures, const char* call) {
  for (const Trouble& one : failures) {
    if (applies(one, call, now())) return static_cast<Return>(one.code);
  }
  return Return::kSuccess;
}

}  // namespace

double now_us() {
  const long long set = clock_us.load();
  if (set != 0) return static_cast<double>(set);
  timeval tv{};
  ::gettimeofday(&tv, nullptr);
  return static_cast<double>(tv.tv_sec) * 1e6 + static_cast<double>(tv.tv_usec);
}
double now() { return (now_us() - state->start_us) * 1e-6; }

Return trouble(const char* call, const Device* device) {
  hang(state->script.hangs, call);
  if (device != nullptr) hang(device->hangs, call);
  if (device != nullptr && now() >= device->lost_at) return Return::kGpuIsLost;
  const Return all = failure(state->script.failures, call);
  return all != Return::kSuccess || device == nullptr ? all : failure(device->failures, call);
}

Return text(const std::string& from, char* to, unsigned length) {
  if (from.size() + 1 > length) return Return::kInsufficientSize;
  std::memcpy(to, from.c_str(), from.size() + 1);
  return Return::kSuccess;
}

}  // namespace fake_nvml

extern "C" {

// For unit tests, which own the clock: microseconds since 1970.
void fake_nvml_set_clock(long long us) { fake_nvml::clock_us = us; }

}  // extern "C"
