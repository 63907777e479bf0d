// Generated from schema/metrics.toml by tools/gen_schema.py. Do not edit.
// clang-format off
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace flatout::run {

enum class Metric : std::uint16_t {
  kHostCpuCoresUsed = 1,  // cores; host
  kHostMemoryAvailable = 2,  // bytes; host
  kHostDiskRead = 3,  // bytes_per_s; host
  kHostIowait = 4,  // cores; host
  kHostCpuStolen = 5,  // cores; host
  kCgroupMemoryUsed = 10,  // bytes; host
  kCgroupCpuThrottled = 11,  // ratio; host
  kProcessCpuCoresUsed = 20,  // cores; process
  kProcessMemoryRss = 21,  // bytes; process
  kProcessIoRead = 22,  // bytes_per_s; process
  kProcessIoDiskRead = 23,  // bytes_per_s; process
  kProcessIoDiskWait = 24,  // ratio; process
  kProcessCpuRunDelay = 25,  // ratio; process
  kProcessThreads = 26,  // count; process
  kRecorderCpuCoresUsed = 40,  // cores; host
  kDeviceUtilization = 60,  // ratio; device
  kDeviceMemoryUtilization = 61,  // ratio; device
  kDeviceMemoryUsed = 62,  // bytes; device
  kDeviceMemoryReserved = 63,  // bytes; device
  kDevicePower = 64,  // watts; device
  kDevicePowerLimit = 65,  // watts; device
  kDeviceTemperature = 66,  // celsius; device
  kDeviceClockSm = 67,  // megahertz; device
  kDeviceClockMemory = 68,  // megahertz; device
  kDeviceThrottlePower = 69,  // ratio; device
  kDeviceThrottleThermal = 70,  // ratio; device
  kDeviceThrottleOther = 71,  // ratio; device
  kDevicePcieGeneration = 72,  // count; device
  kDevicePcieWidth = 73,  // count; device
  kDevicePcieReceived = 74,  // bytes_per_s; device
  kDevicePcieSent = 75,  // bytes_per_s; device
  kDeviceNvlinkReceived = 76,  // bytes_per_s; device
  kDeviceNvlinkSent = 77,  // bytes_per_s; device
  kDeviceEccCorrected = 78,  // count; device
  kDeviceEccUncorrected = 79,  // count; device
  kDeviceXid = 80,  // count; device
  kDeviceEncoderUtilization = 81,  // ratio; device
  kDeviceDecoderUtilization = 82,  // ratio; device
  kDeviceGpmSm = 83,  // ratio; device
  kDeviceGpmOccupancy = 84,  // ratio; device
  kDeviceGpmTensor = 85,  // ratio; device
  kDeviceGpmDram = 86,  // ratio; device
  kDeviceGpmPcieReceived = 87,  // bytes_per_s; device
  kDeviceGpmPcieSent = 88,  // bytes_per_s; device
  kDeviceGpmNvlinkReceived = 89,  // bytes_per_s; device
  kDeviceGpmNvlinkSent = 90,  // bytes_per_s; device
  kDeviceOthersProcesses = 91,  // count; device
  kDeviceOthersMemoryUsed = 92,  // bytes; device
  kDeviceOthersUtilization = 93,  // ratio; device
  kDeviceAllocatorAllocated = 94,  // bytes; device
  kDeviceAllocatorReserved = 95,  // bytes; device
  kDeviceAllocatorAllocatedPeak = 96,  // bytes; device
  kDeviceAllocatorReservedPeak = 97,  // bytes; device
  kDeviceAllocatorRetries = 98,  // count; device
  kDeviceAllocatorOoms = 99,  // count; device
  kDeviceAllocatorProcesses = 102,  // count; device
  kProcessDeviceMemoryUsed = 100,  // bytes; process
  kProcessDeviceUtilization = 101,  // ratio; process
  kHostPressureCpuSome = 130,  // ratio; host
  kHostPressureMemorySome = 131,  // ratio; host
  kHostPressureMemoryFull = 132,  // ratio; host
  kHostPressureIoSome = 133,  // ratio; host
  kHostPressureIoFull = 134,  // ratio; host
  kHostSwapIn = 135,  // bytes_per_s; host
  kHostSwapOut = 136,  // bytes_per_s; host
  kHostMemoryPageCache = 137,  // bytes; host
  kHostMemoryTotal = 138,  // bytes; host
  kHostMajorFaults = 139,  // per_s; host
  kHostDiskWritten = 140,  // bytes_per_s; host
  kHostDiskBusy = 141,  // ratio; host
  kHostNetworkReceived = 142,  // bytes_per_s; host
  kHostNetworkSent = 143,  // bytes_per_s; host
  kHostShmUsed = 144,  // bytes; host
  kHostShmSize = 145,  // bytes; host
  kCgroupPressureCpuSome = 146,  // ratio; host
  kCgroupPressureMemorySome = 147,  // ratio; host
  kCgroupPressureIoSome = 148,  // ratio; host
  kCgroupMemoryOomKills = 149,  // count; host
  kProcessMemoryPss = 160,  // bytes; process
  kProcessMajorFaults = 161,  // per_s; process
  kProcessContextSwitchesVoluntary = 162,  // per_s; process
  kProcessContextSwitchesForced = 163,  // per_s; process
};

struct MetricInfo {
  Metric metric;
  std::string_view name;    // "process.memory.rss"
  std::string_view unit;    // "bytes"
  std::string_view source;  // "host" or "process"
  std::string_view text;
};

std::span<const MetricInfo> all_metrics();
std::optional<MetricInfo> metric_info(Metric metric);

}  // namespace flatout::run
