// The part of NVML's C interface that flatout uses, declared here because the
// library is opened at run time and its header is not wanted at build time.
// Sizes, numbers and symbol names are those of NVIDIA's interface (nvml.h of
// CUDA 11 to 13, in which they did not change); the names on this side are ours.
#pragma once

#include <cstdint>

namespace flatout::collect::nvml {

using Handle = struct OpaqueDevice*;
using EventSet = struct OpaqueEventSet*;
using GpmSample = struct OpaqueGpmSample*;

enum class Return : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kLibraryNotFound = 12,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kResetRequired = 16,
  kOperatingSystem = 17,
  kVersionMismatch = 18,  // of driver and library
  kInUse = 19,
  kNoData = 21,
  kArgumentVersionMismatch = 25,
  kDeprecated = 26,
  kNotReady = 27,
  kGpuNotFound = 28,
  kUnknown = 999,
};

enum class SamplingType : int { kPower = 0, kGpuUtilization = 1, kMemoryUtilization = 2 };
enum class ValueType : int {
  kDouble = 0,
  kUnsigned = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4,
  kSigned = 5,
  kUnsignedShort = 6,
};
enum class Clock : int { kSm = 1, kMemory = 2 };
enum class Sensor : int { kCore = 0 };
enum class Threshold : int { kShutdown = 0, kSlowdown = 1, kMaxOperating = 3 };
enum class PcieCounter : int { kSent = 0, kReceived = 1 };
enum class EccError : int { kCorrected = 0, kUncorrected = 1 };
enum class EccCounter : int { kSinceDriverLoad = 0 };
enum class Policy : int {
  kPower = 0,
  kThermal = 1,
  kSyncBoost = 2,
  kBoardLimit = 3,
  kReliability = 5
};

// Bits of the reasons for which clocks are held down at this moment.
constexpr unsigned long long kReasonSwPowerCap = 0x04;
constexpr unsigned long long kReasonHwSlowdown = 0x08;
constexpr unsigned long long kReasonSyncBoost = 0x10;
constexpr unsigned long long kReasonSwThermal = 0x20;
constexpr unsigned long long kReasonHwThermal = 0x40;
constexpr unsigned long long kReasonHwPowerBrake = 0x80;

constexpr unsigned long long kEventXid = 0x08;

// Field ids: bytes over NVLink since the driver was loaded, in KiB.
constexpr unsigned kFieldNvlinkSent = 138;
constexpr unsigned kFieldNvlinkReceived = 139;
constexpr unsigned kAllLinks = 0xFFFFFFFF;

constexpr unsigned long long kMemoryNotAvailable = ~0ULL;
constexpr unsigned kTextBytes = 96;  // of names, UUIDs and versions

union Value {
  double real;
  int signed_int;
  unsigned unsigned_int;
  unsigned long unsigned_long;
  unsigned long long unsigned_long_long;
  long long signed_long_long;
  unsigned short unsigned_short;
};

struct BufferedSample {
  unsigned long long time_us;  // wall clock of the CPU
  Value value;
};

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct MemoryV1 {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;  // reserved included
};

struct MemoryV2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};

struct Pci {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct ViolationTime {
  unsigned long long reference_us;
  unsigned long long violation_ns;
};

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct ProcessUtilization {
  unsigned pid;
  unsigned long long time_us;
  unsigned sm;
  unsigned memory;
  unsigned encoder;
  unsigned decoder;
};

struct EventData {
  Handle device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct FieldValue {
  unsigned field;
  unsigned scope;
  long long time_us;
  long long latency_us;
  ValueType type;
  Return outcome;
  Value value;
};

// GPM: Hopper and later.
enum class GpmId : unsigned {
  kSm = 2,
  kOccupancy = 3,
  kTensor = 5,
  kDram = 10,
  kPcieSent = 20,
  kPcieReceived = 21,
  kNvlinkReceived = 60,
  kNvlinkSent = 61,
};

struct GpmMetric {
  GpmId id;
  Return outcome;
  double value;
  const char* short_name;
  const char* long_name;
  const char* unit;
};

// The library reads `count` metrics; the array is as long as in the newest
// header, so that no version of the library can step over its end.
struct GpmRequest {
  unsigned version;
  unsigned count;
  GpmSample first;
  GpmSample second;
  GpmMetric metrics[333];
};

struct GpmSupport {
  unsigned version;
  unsigned supported;
};

// A struct's version word: its size, and its number in the top byte.
template <typename Struct>
constexpr unsigned version_word(unsigned number) {
  return static_cast<unsigned>(sizeof(Struct)) | (number << 24U);
}

static_assert(sizeof(BufferedSample) == 16 && sizeof(MemoryV2) == 40 && sizeof(Pci) == 68 &&
              sizeof(ProcessInfo) == 24 && sizeof(ProcessUtilization) == 32 &&
              sizeof(EventData) == 32 && sizeof(FieldValue) == 40 && sizeof(GpmMetric) == 40);

}  // namespace flatout::collect::nvml
