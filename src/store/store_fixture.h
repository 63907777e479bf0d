// What the store's tests share: a scratch folder, and a made-up run whose
// every noun has its own values. For tests and benchmarks only.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/time.h"
#include "run/sink.h"

namespace flatout::store {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "flatout-store-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline run::RunInfo sample_info(const std::string& id) {
  return {.id = id,
          .name = "night",
          .trace_file = "",
          .command = {"python", "train.py", "--lr=0.1"},
          .cwd = "/home/ann/\"work\"",
          .host = "node7",
          .started_wall_ns = 1'700'000'000'000'000'001,
          .started_ns = 5'000'000'001,
          .rate_hz = 12.5,
          .recorder_pid = 4242,
          .recorder_start_ticks = 18446744073709551615ULL,
          .program_pid = 4243,
          .program_start_ticks = 18446744073709551614ULL,
          .boot_id = "b00t",
          .ring_dir = "/dev/shm/ring",
          .hooks_off = "",
          .cpus = 12,
          .cpu_limit = 11.25,
          .cpu_model = "Model \xc3\xa9",
          .memory_bytes = 1LL << 40,
          .memory_limit_bytes = 1LL << 39,
          .flatout_version = "0.1.0"};
}

// `steps` steps of 10 ms as the hooks write them, from `start_ns`.
inline std::vector<run::PhaseEvent> sample_steps(int steps, std::int64_t start_ns) {
  using run::Phase;
  std::vector<run::PhaseEvent> out;
  std::int64_t t = start_ns;
  std::uint64_t noise = 88172645463325252ULL;
  const auto later = [&](std::int64_t by) {
    noise ^= noise << 13;  // xorshift: times of real programs do not repeat
    noise ^= noise >> 7;
    noise ^= noise << 17;
    return t += by + static_cast<std::int64_t>(noise % static_cast<std::uint64_t>(by / 4));
  };
  const auto span = [&](Phase phase, std::int64_t length, std::uint32_t flags, std::uint32_t id,
                        std::uint64_t value) {
    out.push_back({later(4'000), phase == Phase::kForward ? value : 0, flags, id, 0, phase, true});
    out.push_back({later(length), value, 0, id, 0, phase, false});
  };
  for (int i = 0; i < steps; ++i) {
    span(Phase::kDataWait, 200'000, run::kGradEnabled, 3, 64);
    span(Phase::kForward, 3'000'000, run::kGradEnabled | run::kTrainingMode, 0, 64);
    span(Phase::kBackward, 6'000'000, 0, 0, 0);
    span(Phase::kOptimizer, 500'000, 0, 0, 0);
  }
  return out;
}

inline std::vector<run::Batch> sample_batches(int count, std::int64_t start_ns) {
  std::vector<run::Batch> out;
  for (int i = 0; i < count; ++i) {
    const std::int64_t begin = start_ns + i * 7'000'001LL;
    out.push_back({.begin_ns = begin,
                   .end_ns = begin + 6'543'210,
                   .cpu_ns = 5'000'123 + i,
                   .collate_ns = 432'100,
                   .idle_ns = i == 0 ? 0 : 98'765,
                   .read_bytes = 1'234'567U + static_cast<std::uint64_t>(i),
                   .disk_bytes = i % 2 == 0 ? run::kUnknownBytes : 4096,
                   .run_delay_ns = i % 3 == 0 ? run::kUnknownNs : 54'321,
                   .batch_bytes = 38'535'168,
                   .iterator = 2,
                   .sequence = static_cast<std::uint32_t>(i),
                   .samples = 64,
                   .stages = {{"JPEG decode", 64, 4'000'000 + i},
                              {"RandomResizedCrop", 64, 1'500'000},
                              {"other", 1, 7}}});
  }
  return out;
}

inline std::vector<run::DevicePhase> sample_device_phases() {
  return {
      {.t_ns = 5'100'000'000,
       .duration_ns = 123'456,
       .step = 7,
       .device = 1,
       .phase = run::Phase::kForward},
      {.t_ns = 5'100'000'900,
       .duration_ns = 1,
       .step = 4'000'000'000U,
       .device = 0,
       .phase = run::Phase::kSync},
      {.t_ns = 5'000'000'000, .duration_ns = 0, .step = 0, .device = 0, .phase = run::Phase::kH2d}};
}

inline std::vector<run::NamedValue> sample_values() {
  return {
      {.t_ns = 5'000'000'000, .value = 2.5, .step = 0, .name = "loss"},
      {.t_ns = 5'000'000'100, .value = 0.001, .step = 0, .name = "learning rate"},
      {.t_ns = 6'000'000'000, .value = std::numeric_limits<double>::quiet_NaN(), .name = "loss"},
      {.t_ns = 5'500'000'000, .value = -0.0, .step = 1LL << 60, .name = "loss"}};
}

// One tick of the samplers: as many metrics as a run with a few workers has.
inline std::vector<run::Sample> sample_tick(int tick, int processes) {
  std::vector<run::Sample> out;
  const std::int64_t t = 5'000'000'000 + tick * 100'000'000LL;
  const double wobble = static_cast<double>(tick * 7919 % 1000) / 997.0;
  out.push_back({t, 2.0 + wobble / 3, run::kHostSource, run::Metric::kHostCpuCoresUsed});
  out.push_back({t, 64e9 + 4096.0 * tick, run::kHostSource, run::Metric::kHostMemoryAvailable});
  for (int pid = 100; pid < 100 + processes; ++pid) {
    out.push_back({t, 0.9 + wobble / 7, pid, run::Metric::kProcessCpuCoresUsed});
    out.push_back({t, 2e9 + 4096.0 * (tick % 5), pid, run::Metric::kProcessMemoryRss});
    out.push_back({t, 0.0, pid, run::Metric::kProcessIoRead});
    out.push_back({t, wobble / 1e3, pid, run::Metric::kProcessCpuRunDelay});
  }
  return out;
}

}  // namespace flatout::store
