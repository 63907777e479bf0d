// flatout's own declaration of NVML against NVIDIA's header. test_abi.py adds a CALL for each
// function of driver.h.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>

#include <cstddef>

#include "abi/same_type.h"
#include "collect/nvml/driver.h"

using namespace flatout::collect::nvml;  // NOLINT: a test of all of it

PAIR(OpaqueDevice, nvmlDevice_st)
PAIR(OpaqueEventSet, nvmlEventSet_st)
PAIR(OpaqueGpmSample, nvmlGpmSample_st)
PAIR(Value, nvmlValue_t)
PAIR(BufferedSample, nvmlSample_t)
PAIR(Utilization, nvmlUtilization_t)
PAIR(MemoryV1, nvmlMemory_t)
PAIR(MemoryV2, nvmlMemory_v2_t)
PAIR(Pci, nvmlPciInfo_t)
PAIR(ViolationTime, nvmlViolationTime_t)
PAIR(ProcessInfo, nvmlProcessInfo_t)
PAIR(ProcessUtilization, nvmlProcessUtilizationSample_t)
PAIR(EventData, nvmlEventData_t)
PAIR(FieldValue, nvmlFieldValue_t)
PAIR(GpmMetric, nvmlGpmMetric_t)
PAIR(GpmRequest, nvmlGpmMetricsGet_t)
PAIR(GpmSupport, nvmlGpmSupport_t)

SIZE(Value, nvmlValue_t);
FIELD(Value, real, nvmlValue_t, dVal);
FIELD(Value, signed_int, nvmlValue_t, siVal);
FIELD(Value, unsigned_int, nvmlValue_t, uiVal);
FIELD(Value, unsigned_long, nvmlValue_t, ulVal);
FIELD(Value, unsigned_long_long, nvmlValue_t, ullVal);
FIELD(Value, signed_long_long, nvmlValue_t, sllVal);
FIELD(Value, unsigned_short, nvmlValue_t, usVal);

SIZE(BufferedSample, nvmlSample_t);
FIELD(BufferedSample, time_us, nvmlSample_t, timeStamp);
FIELD(BufferedSample, value, nvmlSample_t, sampleValue);

SIZE(Utilization, nvmlUtilization_t);
FIELD(Utilization, gpu, nvmlUtilization_t, gpu);
FIELD(Utilization, memory, nvmlUtilization_t, memory);

SIZE(MemoryV1, nvmlMemory_t);
FIELD(MemoryV1, total, nvmlMemory_t, total);
FIELD(MemoryV1, free, nvmlMemory_t, free);
FIELD(MemoryV1, used, nvmlMemory_t, used);

SIZE(MemoryV2, nvmlMemory_v2_t);
FIELD(MemoryV2, version, nvmlMemory_v2_t, version);
FIELD(MemoryV2, total, nvmlMemory_v2_t, total);
FIELD(MemoryV2, reserved, nvmlMemory_v2_t, reserved);
FIELD(MemoryV2, free, nvmlMemory_v2_t, free);
FIELD(MemoryV2, used, nvmlMemory_v2_t, used);
NUMBER(version_word<MemoryV2>(2), nvmlMemory_v2);

SIZE(Pci, nvmlPciInfo_t);
TEXT(Pci, bus_id_legacy, nvmlPciInfo_t, busIdLegacy);
FIELD(Pci, domain, nvmlPciInfo_t, domain);
FIELD(Pci, bus, nvmlPciInfo_t, bus);
FIELD(Pci, device, nvmlPciInfo_t, device);
FIELD(Pci, device_id, nvmlPciInfo_t, pciDeviceId);
FIELD(Pci, subsystem_id, nvmlPciInfo_t, pciSubSystemId);
TEXT(Pci, bus_id, nvmlPciInfo_t, busId);

SIZE(ViolationTime, nvmlViolationTime_t);
FIELD(ViolationTime, reference_us, nvmlViolationTime_t, referenceTime);
FIELD(ViolationTime, violation_ns, nvmlViolationTime_t, violationTime);

// The second version of the list has the same entries.
SIZE(ProcessInfo, nvmlProcessInfo_t);
SIZE(ProcessInfo, nvmlProcessInfo_v2_t);
FIELD(ProcessInfo, pid, nvmlProcessInfo_t, pid);
FIELD(ProcessInfo, memory_bytes, nvmlProcessInfo_t, usedGpuMemory);
FIELD(ProcessInfo, gpu_instance, nvmlProcessInfo_t, gpuInstanceId);
FIELD(ProcessInfo, compute_instance, nvmlProcessInfo_t, computeInstanceId);

SIZE(ProcessUtilization, nvmlProcessUtilizationSample_t);
FIELD(ProcessUtilization, pid, nvmlProcessUtilizationSample_t, pid);
FIELD(ProcessUtilization, time_us, nvmlProcessUtilizationSample_t, timeStamp);
FIELD(ProcessUtilization, sm, nvmlProcessUtilizationSample_t, smUtil);
FIELD(ProcessUtilization, memory, nvmlProcessUtilizationSample_t, memUtil);
FIELD(ProcessUtilization, encoder, nvmlProcessUtilizationSample_t, encUtil);
FIELD(ProcessUtilization, decoder, nvmlProcessUtilizationSample_t, decUtil);

SIZE(EventData, nvmlEventData_t);
FIELD(EventData, device, nvmlEventData_t, device);
FIELD(EventData, type, nvmlEventData_t, eventType);
FIELD(EventData, data, nvmlEventData_t, eventData);
FIELD(EventData, gpu_instance, nvmlEventData_t, gpuInstanceId);
FIELD(EventData, compute_instance, nvmlEventData_t, computeInstanceId);

SIZE(FieldValue, nvmlFieldValue_t);
FIELD(FieldValue, field, nvmlFieldValue_t, fieldId);
FIELD(FieldValue, scope, nvmlFieldValue_t, scopeId);
FIELD(FieldValue, time_us, nvmlFieldValue_t, timestamp);
FIELD(FieldValue, latency_us, nvmlFieldValue_t, latencyUsec);
FIELD(FieldValue, type, nvmlFieldValue_t, valueType);
FIELD(FieldValue, outcome, nvmlFieldValue_t, nvmlReturn);
FIELD(FieldValue, value, nvmlFieldValue_t, value);

SIZE(GpmMetric, nvmlGpmMetric_t);
FIELD(GpmMetric, id, nvmlGpmMetric_t, metricId);
FIELD(GpmMetric, outcome, nvmlGpmMetric_t, nvmlReturn);
FIELD(GpmMetric, value, nvmlGpmMetric_t, value);
static_assert(offsetof(GpmMetric, short_name) == offsetof(nvmlGpmMetric_t, metricInfo.shortName));
static_assert(offsetof(GpmMetric, long_name) == offsetof(nvmlGpmMetric_t, metricInfo.longName));
static_assert(offsetof(GpmMetric, unit) == offsetof(nvmlGpmMetric_t, metricInfo.unit));

static_assert(sizeof(GpmRequest) >= sizeof(nvmlGpmMetricsGet_t), "the library may write to it");
FIELD(GpmRequest, version, nvmlGpmMetricsGet_t, version);
FIELD(GpmRequest, count, nvmlGpmMetricsGet_t, numMetrics);
FIELD(GpmRequest, first, nvmlGpmMetricsGet_t, sample1);
FIELD(GpmRequest, second, nvmlGpmMetricsGet_t, sample2);
static_assert(offsetof(GpmRequest, metrics) == offsetof(nvmlGpmMetricsGet_t, metrics));

SIZE(GpmSupport, nvmlGpmSupport_t);
FIELD(GpmSupport, version, nvmlGpmSupport_t, version);
FIELD(GpmSupport, supported, nvmlGpmSupport_t, isSupportedDevice);

NUMBER(Return::kSuccess, NVML_SUCCESS);
NUMBER(Return::kUninitialized, NVML_ERROR_UNINITIALIZED);
NUMBER(Return::kInvalidArgument, NVML_ERROR_INVALID_ARGUMENT);
NUMBER(Return::kNotSupported, NVML_ERROR_NOT_SUPPORTED);
NUMBER(Return::kNoPermission, NVML_ERROR_NO_PERMISSION);
NUMBER(Return::kNotFound, NVML_ERROR_NOT_FOUND);
NUMBER(Return::kInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
NUMBER(Return::kDriverNotLoaded, NVML_ERROR_DRIVER_NOT_LOADED);
NUMBER(Return::kTimeout, NVML_ERROR_TIMEOUT);
NUMBER(Return::kLibraryNotFound, NVML_ERROR_LIBRARY_NOT_FOUND);
NUMBER(Return::kFunctionNotFound, NVML_ERROR_FUNCTION_NOT_FOUND);
NUMBER(Return::kGpuIsLost, NVML_ERROR_GPU_IS_LOST);
NUMBER(Return::kResetRequired, NVML_ERROR_RESET_REQUIRED);
NUMBER(Return::kOperatingSystem, NVML_ERROR_OPERATING_SYSTEM);
NUMBER(Return::kVersionMismatch, NVML_ERROR_LIB_RM_VERSION_MISMATCH);
NUMBER(Return::kInUse, NVML_ERROR_IN_USE);
NUMBER(Return::kNoData, NVML_ERROR_NO_DATA);
NUMBER(Return::kArgumentVersionMismatch, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
NUMBER(Return::kDeprecated, NVML_ERROR_DEPRECATED);
NUMBER(Return::kNotReady, NVML_ERROR_NOT_READY);
NUMBER(Return::kGpuNotFound, NVML_ERROR_GPU_NOT_FOUND);
NUMBER(Return::kUnknown, NVML_ERROR_UNKNOWN);

NUMBER(SamplingType::kPower, NVML_TOTAL_POWER_SAMPLES);
NUMBER(SamplingType::kGpuUtilization, NVML_GPU_UTILIZATION_SAMPLES);
NUMBER(SamplingType::kMemoryUtilization, NVML_MEMORY_UTILIZATION_SAMPLES);
NUMBER(ValueType::kDouble, NVML_VALUE_TYPE_DOUBLE);
NUMBER(ValueType::kUnsigned, NVML_VALUE_TYPE_UNSIGNED_INT);
NUMBER(ValueType::kUnsignedLong, NVML_VALUE_TYPE_UNSIGNED_LONG);
NUMBER(ValueType::kUnsignedLongLong, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
NUMBER(ValueType::kSignedLongLong, NVML_VALUE_TYPE_SIGNED_LONG_LONG);
NUMBER(ValueType::kSigned, NVML_VALUE_TYPE_SIGNED_INT);
NUMBER(ValueType::kUnsignedShort, NVML_VALUE_TYPE_UNSIGNED_SHORT);
NUMBER(Clock::kSm, NVML_CLOCK_SM);
NUMBER(Clock::kMemory, NVML_CLOCK_MEM);
NUMBER(Sensor::kCore, NVML_TEMPERATURE_GPU);
NUMBER(Threshold::kShutdown, NVML_TEMPERATURE_THRESHOLD_SHUTDOWN);
NUMBER(Threshold::kSlowdown, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
NUMBER(Threshold::kMaxOperating, NVML_TEMPERATURE_THRESHOLD_GPU_MAX);
NUMBER(PcieCounter::kSent, NVML_PCIE_UTIL_TX_BYTES);
NUMBER(PcieCounter::kReceived, NVML_PCIE_UTIL_RX_BYTES);
NUMBER(EccError::kCorrected, NVML_MEMORY_ERROR_TYPE_CORRECTED);
NUMBER(EccError::kUncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
NUMBER(EccCounter::kSinceDriverLoad, NVML_VOLATILE_ECC);
NUMBER(Policy::kPower, NVML_PERF_POLICY_POWER);
NUMBER(Policy::kThermal, NVML_PERF_POLICY_THERMAL);
NUMBER(Policy::kSyncBoost, NVML_PERF_POLICY_SYNC_BOOST);
NUMBER(Policy::kBoardLimit, NVML_PERF_POLICY_BOARD_LIMIT);
NUMBER(Policy::kReliability, NVML_PERF_POLICY_RELIABILITY);

NUMBER(kReasonSwPowerCap, nvmlClocksEventReasonSwPowerCap);
NUMBER(kReasonHwSlowdown, nvmlClocksThrottleReasonHwSlowdown);
NUMBER(kReasonSyncBoost, nvmlClocksEventReasonSyncBoost);
NUMBER(kReasonSwThermal, nvmlClocksEventReasonSwThermalSlowdown);
NUMBER(kReasonHwThermal, nvmlClocksThrottleReasonHwThermalSlowdown);
NUMBER(kReasonHwPowerBrake, nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
NUMBER(kEventXid, nvmlEventTypeXidCriticalError);
NUMBER(kFieldNvlinkSent, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX);
NUMBER(kFieldNvlinkReceived, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX);
NUMBER(kMemoryNotAvailable, NVML_VALUE_NOT_AVAILABLE);
static_assert(kTextBytes >= NVML_DEVICE_UUID_V2_BUFFER_SIZE &&
              kTextBytes >= NVML_DEVICE_NAME_V2_BUFFER_SIZE &&
              kTextBytes >= NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);

NUMBER(GpmId::kSm, NVML_GPM_METRIC_SM_UTIL);
NUMBER(GpmId::kOccupancy, NVML_GPM_METRIC_SM_OCCUPANCY);
NUMBER(GpmId::kTensor, NVML_GPM_METRIC_ANY_TENSOR_UTIL);
NUMBER(GpmId::kDram, NVML_GPM_METRIC_DRAM_BW_UTIL);
NUMBER(GpmId::kPcieSent, NVML_GPM_METRIC_PCIE_TX_PER_SEC);
NUMBER(GpmId::kPcieReceived, NVML_GPM_METRIC_PCIE_RX_PER_SEC);
NUMBER(GpmId::kNvlinkReceived, NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC);
NUMBER(GpmId::kNvlinkSent, NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC);
NUMBER(1, NVML_GPM_METRICS_GET_VERSION);
NUMBER(1, NVML_GPM_SUPPORT_VERSION);
