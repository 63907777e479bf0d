#include "collect/nvml/readers.h"

namespace flatout::collect::nvml {
namespace {

using run::Metric;

constexpr base::DurationNs kOften = base::kSecond / 2;
constexpr base::DurationNs kRarely = 10 * base::kSecond;

// A figure that one call gives as it is.
void read_one(Session& device, Question& question, const Function<Handle, unsigned*>& function,
              Metric metric, double units = 1) {
  if (!device.due(question)) return;
  unsigned value = 0;
  if (device.answered(question, device.call(function, &value))) device.add(metric, value / units);
}

}  // namespace

Gauges::Gauges()
    : memory_({key(Metric::kDeviceMemoryReserved)}, kOften),
      memory_v1_({key(Metric::kDeviceMemoryUsed), "memory_total_bytes"}, kOften),
      temperature_({key(Metric::kDeviceTemperature)}, kOften),
      power_limit_({key(Metric::kDevicePowerLimit), "power_limit_w"}, kRarely),
      clock_sm_({key(Metric::kDeviceClockSm)}, kOften),
      clock_memory_({key(Metric::kDeviceClockMemory)}, kOften),
      pcie_generation_({key(Metric::kDevicePcieGeneration)}, kSometimes),
      pcie_width_({key(Metric::kDevicePcieWidth)}, kSometimes),
      ecc_corrected_({key(Metric::kDeviceEccCorrected)}, kRarely),
      ecc_uncorrected_({key(Metric::kDeviceEccUncorrected)}, kRarely),
      encoder_({key(Metric::kDeviceEncoderUtilization)}, kSometimes),
      decoder_({key(Metric::kDeviceDecoderUtilization)}, kSometimes) {}

void Gauges::read(Session& device) {
  const auto& f = device.driver().f;
  read_memory(device);
  if (device.due(temperature_)) {
    unsigned celsius = 0;
    const Return code = device.call(f.temperature, Sensor::kCore, &celsius);
    if (device.answered(temperature_, code)) device.add(Metric::kDeviceTemperature, celsius);
  }
  read_clocks(device);
  read_one(device, pcie_generation_, f.pcie_generation, Metric::kDevicePcieGeneration);
  read_one(device, pcie_width_, f.pcie_width, Metric::kDevicePcieWidth);
  read_one(device, power_limit_, f.power_limit, Metric::kDevicePowerLimit, 1000);
  read_ecc(device);
  read_video(device);
}

// The older call counts what the driver keeps for itself as used.
void Gauges::read_memory(Session& device) {
  const auto& f = device.driver().f;
  if (device.due(memory_)) {
    MemoryV2 memory{};
    memory.version = version_word<MemoryV2>(2);
    if (device.answered(memory_, device.call(f.memory_v2, &memory))) {
      device.add(Metric::kDeviceMemoryUsed, static_cast<double>(memory.used));
      device.add(Metric::kDeviceMemoryReserved, static_cast<double>(memory.reserved));
      return;
    }
  }
  if (memory_.worked && !memory_.failing) return;
  if (!device.due(memory_v1_)) return;
  MemoryV1 memory{};
  if (device.answered(memory_v1_, device.call(f.memory_v1, &memory))) {
    device.add(Metric::kDeviceMemoryUsed, static_cast<double>(memory.used));
  }
}

void Gauges::read_clocks(Session& device) {
  const auto& f = device.driver().f;
  unsigned megahertz = 0;
  if (device.due(clock_sm_) &&
      device.answered(clock_sm_, device.call(f.clock, Clock::kSm, &megahertz))) {
    device.add(Metric::kDeviceClockSm, megahertz);
  }
  if (device.due(clock_memory_) &&
      device.answered(clock_memory_, device.call(f.clock, Clock::kMemory, &megahertz))) {
    device.add(Metric::kDeviceClockMemory, megahertz);
  }
}

void Gauges::read_ecc(Session& device) {
  const auto& f = device.driver().f;
  unsigned long long errors = 0;
  constexpr auto kSince = EccCounter::kSinceDriverLoad;
  if (device.due(ecc_corrected_) &&
      device.answered(ecc_corrected_, device.call(f.ecc, EccError::kCorrected, kSince, &errors))) {
    device.add(Metric::kDeviceEccCorrected, static_cast<double>(errors));
  }
  if (device.due(ecc_uncorrected_) &&
      device.answered(ecc_uncorrected_,
                      device.call(f.ecc, EccError::kUncorrected, kSince, &errors))) {
    device.add(Metric::kDeviceEccUncorrected, static_cast<double>(errors));
  }
}

void Gauges::read_video(Session& device) {
  const auto& f = device.driver().f;
  unsigned percent = 0;
  unsigned window_us = 0;
  if (device.due(encoder_) &&
      device.answered(encoder_, device.call(f.encoder, &percent, &window_us))) {
    device.add(Metric::kDeviceEncoderUtilization, percent / 100.0);
  }
  if (device.due(decoder_) &&
      device.answered(decoder_, device.call(f.decoder, &percent, &window_us))) {
    device.add(Metric::kDeviceDecoderUtilization, percent / 100.0);
  }
}

}  // namespace flatout::collect::nvml
