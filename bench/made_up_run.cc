#include "made_up_run.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace flatout::bench {
namespace {

using run::Metric;
using run::Phase;
using run::Sample;

constexpr std::int32_t kDevice = run::device_source(0);
constexpr double kPage = 4096;
constexpr double kTicksPerS = 100;

double whole(double value) { return std::max(0.0, std::nearbyint(value)); }
// As nvml/ turns percent and milliwatts into the units of a metric.
double of_percent(double percent) { return std::min(whole(percent), 100.0) / 100; }

}  // namespace

std::uint64_t Noise::bits() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_ * 0x2545f4914f6cdd1dULL;
}

double Noise::around(double mean, double spread) {
  return mean + spread * (share() + share() + share() + share() - 2) * std::numbers::sqrt3;
}

double Noise::long_tailed(double median) { return median * std::exp(around(0, 1)); }

std::vector<double> made_up_busy(std::uint64_t seed) {
  Noise noise(seed);
  std::vector<double> table;
  while (table.size() < 6000) {
    const auto busy = std::max<std::int64_t>(1, std::llround(noise.around(21, 2)));
    const auto idle = std::max<std::int64_t>(1, std::llround(noise.around(9, 3)));
    for (std::int64_t i = 0; i < busy; ++i)
      table.push_back(std::min(1.0, noise.around(0.95, 0.03)));
    for (std::int64_t i = 0; i < idle; ++i) table.push_back(noise.chance(0.1) ? noise.share() : 0);
  }
  return table;
}

MadeUpSamples::MadeUpSamples(int workers, std::vector<double> busy, std::uint64_t seed)
    : noise_(seed) {
  double sum = 0;
  for (const double share : busy) {
    busy_before_.push_back(sum);
    sum += share;
  }
  busy_before_.push_back(sum);
  for (int i = 0; i <= workers; ++i) processes_.push_back({.pid = kMainPid + i});
}

// Of whole windows: the one that holds `from_ns` up to the one that holds `to_ns`.
double MadeUpSamples::busy_share(std::int64_t from_ns, std::int64_t to_ns) const {
  const auto windows = static_cast<std::int64_t>(busy_before_.size()) - 1;
  const auto sum_to = [&](std::int64_t window) {
    return busy_before_.back() * static_cast<double>(window / windows) +
           busy_before_[static_cast<std::size_t>(window % windows)];
  };
  const std::int64_t first = from_ns / kBusyWindowNs;
  const std::int64_t last = std::max(first, to_ns / kBusyWindowNs - 1);
  return (sum_to(last + 1) - sum_to(first)) / static_cast<double>(last + 1 - first);
}

void MadeUpSamples::tick(std::vector<Sample>& out) {
  const std::int64_t before = now_;
  ++ticks_;
  now_ = kFirstNs + ticks_ * kTickNs + static_cast<std::int64_t>(noise_.long_tailed(80'000));
  elapsed_s_ = static_cast<double>(now_ - before) / 1e9;
  load_ += 0.02 * (busy_share(before, now_) - load_);
  host(out);
  for (auto& one : processes_) process(one, out);
  if (ticks_ % 5 == 0) pressure(out);
  if (ticks_ % 10 == 0) each_second(out);
  if (ticks_ % 100 == 0) shared_memory(out);
  device(out);
}

void MadeUpSamples::host(std::vector<Sample>& out) {
  const auto add = [&](Metric metric, double value) {
    out.push_back({now_, value, run::kHostSource, metric});
  };
  const double scale = 1 / (kTicksPerS * elapsed_s_);
  add(Metric::kHostCpuCoresUsed, whole(noise_.around(55, 6)) * scale);
  add(Metric::kHostIowait, whole(noise_.chance(0.05) ? noise_.long_tailed(2) : 0) * scale);
  free_kib_ += noise_.below(4000) - 2000;
  cache_kib_ += noise_.chance(0.3) ? noise_.below(2000) - 1000 : 0;
  add(Metric::kHostMemoryAvailable, static_cast<double>(free_kib_) * 1024);
  add(Metric::kHostMemoryTotal, 64e6 * 1024);
  add(Metric::kHostMemoryPageCache, static_cast<double>(cache_kib_) * 1024);
  const bool reads = noise_.chance(0.3);
  add(Metric::kHostDiskRead, (reads ? 4096 * whole(noise_.long_tailed(150)) : 0) / elapsed_s_);
  const bool writes = noise_.chance(0.1);
  add(Metric::kHostDiskWritten, (writes ? 4096 * whole(noise_.long_tailed(20)) : 0) / elapsed_s_);
  add(Metric::kHostDiskBusy,
      std::min(1.0, (reads || writes ? whole(noise_.long_tailed(8)) : 0) / elapsed_s_ / 1000));
  add(Metric::kCgroupMemoryUsed, 24e9 + kPage * static_cast<double>(noise_.below(30'000)));
  add(Metric::kCgroupCpuThrottled, 0);
  add(Metric::kCgroupMemoryOomKills, 0);
  add(Metric::kRecorderCpuCoresUsed, whole(noise_.long_tailed(400'000)) / elapsed_s_ / 1e9);
}

void MadeUpSamples::process(Process& process, std::vector<Sample>& out) {
  const auto add = [&](Metric metric, double value) {
    out.push_back({now_, value, process.pid, metric});
  };
  const bool main = process.pid == kMainPid;
  const double ticks = whole(main ? noise_.around(9.3, 0.6) : noise_.around(5, 1.5));
  add(Metric::kProcessCpuCoresUsed, ticks / elapsed_s_ / kTicksPerS);
  add(Metric::kProcessMajorFaults, 0 / elapsed_s_);
  if (noise_.chance(main ? 0.1 : 0.5)) process.pages += noise_.below(4001) - 2000;
  add(Metric::kProcessMemoryRss, static_cast<double>(process.pages) * kPage);
  add(Metric::kProcessThreads, main ? 23 : 3);
  add(Metric::kProcessIoDiskWait, !main && noise_.chance(0.02) ? 1 : 0);
  double read = 0;  // files of about 110 KB by workers, pipes by the main process
  for (auto files = main ? 0 : noise_.below(3); files > 0; --files)
    read += noise_.long_tailed(110e3);
  add(Metric::kProcessIoRead,
      whole(main ? 8.0 * static_cast<double>(noise_.below(4)) : read) / elapsed_s_);
  const double disk = noise_.chance(0.05) ? kPage * whole(noise_.long_tailed(27)) : 0;
  add(Metric::kProcessIoDiskRead, disk / elapsed_s_);
  add(Metric::kProcessCpuRunDelay,
      std::min(1.0, whole(noise_.long_tailed(300'000)) / elapsed_s_ / 1e9));
}

// And makes now the time of the reading before the next.
double MadeUpSamples::seconds_since(std::int64_t& before_ns) {
  const std::int64_t elapsed = now_ - std::exchange(before_ns, now_);
  return static_cast<double>(elapsed) / 1e9;
}

void MadeUpSamples::pressure(std::vector<Sample>& out) {
  const auto add = [&](Metric metric, double value) {
    out.push_back({now_, value, run::kHostSource, metric});
  };
  const double elapsed_s = seconds_since(pressure_ns_);
  for (const auto metric :
       {Metric::kHostPressureCpuSome, Metric::kHostPressureIoSome, Metric::kHostPressureIoFull,
        Metric::kCgroupPressureCpuSome, Metric::kCgroupPressureIoSome}) {
    add(metric, std::min(1.0, whole(noise_.long_tailed(4000)) / elapsed_s / 1e6));
  }
  for (const auto metric : {Metric::kHostPressureMemorySome, Metric::kHostPressureMemoryFull,
                            Metric::kCgroupPressureMemorySome}) {
    add(metric, 0);
  }
}

void MadeUpSamples::each_second(std::vector<Sample>& out) {
  const auto add = [&](Metric metric, double value, std::int32_t source = run::kHostSource) {
    out.push_back({now_, value, source, metric});
  };
  const double elapsed_s = seconds_since(second_ns_);
  for (const auto metric : {Metric::kHostSwapIn, Metric::kHostSwapOut, Metric::kHostMajorFaults}) {
    add(metric, 0);
  }
  add(Metric::kHostNetworkReceived, whole(noise_.long_tailed(5000)) / elapsed_s);
  add(Metric::kHostNetworkSent, whole(noise_.long_tailed(3000)) / elapsed_s);
  add(Metric::kHostShmUsed, 64e6 + kPage * static_cast<double>(noise_.below(2000)));
  add(Metric::kHostShmSize, 32e9);
  for (const auto& one : processes_) {
    const double waits = whole(noise_.around(300, 40));
    const double losses = whole(noise_.around(20, 8));
    add(Metric::kProcessContextSwitchesVoluntary, waits / elapsed_s, one.pid);
    add(Metric::kProcessContextSwitchesForced, losses / elapsed_s, one.pid);
  }
}

void MadeUpSamples::shared_memory(std::vector<Sample>& out) {
  for (const auto& one : processes_) {
    const auto bytes = static_cast<double>(one.pages) * kPage / 3;
    out.push_back({now_, std::nearbyint(bytes / 1024) * 1024, one.pid, Metric::kProcessMemoryPss});
  }
}

void MadeUpSamples::device(std::vector<Sample>& out) {
  device_activity(out);
  if (ticks_ % 2 == 0) device_gpm(out);
  if (ticks_ % 5 == 0) device_gauges(out);
  if (ticks_ % 10 == 0) device_rare(out);
}

// The driver's buffers, drained twice a second: its own times, in microseconds.
void MadeUpSamples::device_activity(std::vector<Sample>& out) {
  if (ticks_ % 5 != 0) return;
  for (; utilization_ns_ + 167'000'000 < now_;) {
    const std::int64_t from = utilization_ns_;
    utilization_ns_ += 166'000'000 + 1000 * noise_.below(1500);
    const double busy = busy_share(from, utilization_ns_);
    out.push_back({utilization_ns_, of_percent(100 * busy), kDevice, Metric::kDeviceUtilization});
    out.push_back({utilization_ns_, of_percent(38 * busy + noise_.around(0, 1)), kDevice,
                   Metric::kDeviceMemoryUtilization});
  }
  for (; power_ns_ + 101'000'000 < now_;) {
    const std::int64_t from = power_ns_;
    power_ns_ += 100'000'000 + 1000 * noise_.below(900);
    const double now = busy_share(from, power_ns_);
    const double milliwatts = 110'000 + 250'000 * now + 220'000 * load_ + noise_.around(0, 3000);
    out.push_back({power_ns_, whole(milliwatts) / 1000, kDevice, Metric::kDevicePower});
  }
}

void MadeUpSamples::device_gauges(std::vector<Sample>& out) {
  const auto add = [&](Metric metric, double value) {
    out.push_back({now_, value, kDevice, metric});
  };
  if (noise_.chance(0.02)) device_blocks_ += noise_.below(101) - 50;
  add(Metric::kDeviceMemoryUsed, 2097152.0 * static_cast<double>(device_blocks_));
  add(Metric::kDeviceMemoryReserved, 6e8);
  add(Metric::kDeviceTemperature, whole(38 + 26 * load_ + noise_.around(0, 0.3)));
  add(Metric::kDeviceClockSm,
      noise_.chance(0.1) ? 1980 - 15.0 * static_cast<double>(noise_.below(8)) : 1980);
  add(Metric::kDeviceClockMemory, 2619);
}

// Kept to a hundredth of a percent and to a KiB a second, as nvml/ does it.
void MadeUpSamples::device_gpm(std::vector<Sample>& out) {
  const double busy = busy_share(now_ - 2 * kTickNs, now_);
  const auto measured = [&](double percent) {
    return std::clamp(percent * busy + noise_.around(0, 0.5), 0.0, 100.0);
  };
  const auto add = [&](Metric metric, double value) {
    out.push_back({now_, value, kDevice, metric});
  };
  add(Metric::kDeviceGpmSm, std::round(measured(88) * 100) / 1e4);
  add(Metric::kDeviceGpmOccupancy, std::round(measured(41) * 100) / 1e4);
  add(Metric::kDeviceGpmTensor, std::round(measured(33) * 100) / 1e4);
  add(Metric::kDeviceGpmDram, std::round(measured(38) * 100) / 1e4);
  add(Metric::kDeviceGpmPcieReceived, std::round(measured(90) * 1024) * 1024);
  add(Metric::kDeviceGpmPcieSent, std::round(measured(20) * 1024) * 1024);
}

void MadeUpSamples::device_rare(std::vector<Sample>& out) {
  const auto add = [&](Metric metric, double value, std::int32_t source = kDevice) {
    out.push_back({now_, value, source, metric});
  };
  for (const auto metric : {Metric::kDeviceThrottlePower, Metric::kDeviceThrottleThermal,
                            Metric::kDeviceThrottleOther, Metric::kDeviceEncoderUtilization,
                            Metric::kDeviceDecoderUtilization, Metric::kDeviceOthersProcesses,
                            Metric::kDeviceOthersMemoryUsed, Metric::kDeviceOthersUtilization}) {
    add(metric, 0);
  }
  add(Metric::kDevicePcieGeneration, 5);
  add(Metric::kDevicePcieWidth, 16);
  add(Metric::kProcessDeviceMemoryUsed, 2097152.0 * static_cast<double>(device_blocks_ - 300),
      kMainPid);
  add(Metric::kProcessDeviceUtilization, of_percent(100 * load_), kMainPid);
  if (ticks_ % 100 != 0) return;
  add(Metric::kDevicePowerLimit, 700);
  add(Metric::kDeviceEccCorrected, 0);
  add(Metric::kDeviceEccUncorrected, 0);
}

std::vector<run::PhaseEvent> MadeUpSteps::step() {
  std::vector<run::PhaseEvent> out;
  const auto span = [&](Phase phase, double length_ns, std::uint32_t flags, std::uint32_t id,
                        std::uint64_t value) {
    now_ += std::max<std::int64_t>(1000, std::llround(noise_.around(8'000, 2'000)));
    out.push_back({now_, phase == Phase::kForward ? value : 0, flags, id, 0, phase, true});
    now_ += std::max<std::int64_t>(1000, std::llround(length_ns));
    out.push_back({now_, value, 0, id, 0, phase, false});
  };
  span(Phase::kDataWait, noise_.long_tailed(12'000'000), run::kGradEnabled, 1, 64);
  span(Phase::kForward, noise_.around(26e6, 1e6), run::kGradEnabled | run::kTrainingMode, 0, 64);
  span(Phase::kBackward, noise_.around(52e6, 2e6), 0, 0, 0);
  span(Phase::kOptimizer, noise_.around(3e6, 2e5), 0, 0, 0);
  return out;
}

run::Batch MadeUpSteps::batch(pid_t& worker) {
  const auto slot = static_cast<std::int64_t>(sequence_) % workers_;
  worker = kMainPid + 1 + static_cast<pid_t>(slot);
  const auto length = static_cast<std::int64_t>(noise_.around(420e6, 40e6));
  const auto decode = static_cast<std::int64_t>(0.7 * static_cast<double>(length));
  const std::int64_t end = now_ - noise_.below(50'000'000);
  return {.begin_ns = end - length,
          .end_ns = end,
          .cpu_ns = length - noise_.below(60'000'000),
          .collate_ns = 9'000'000 + noise_.below(1'000'000),
          .idle_ns = noise_.below(100'000'000),
          .read_bytes = 7'000'000U + static_cast<std::uint64_t>(noise_.below(500'000)),
          .disk_bytes = static_cast<std::uint64_t>(4096 * noise_.below(200)),
          .run_delay_ns = noise_.below(9'000'000),
          .batch_bytes = 38'535'168,
          .iterator = 1,
          .sequence = sequence_++ / static_cast<std::uint32_t>(workers_),  // of its worker
          .samples = 64,
          .stages = {{"decode", 64, decode}, {"crop", 64, length / 5}, {"other", 64, length / 12}}};
}

}  // namespace flatout::bench
