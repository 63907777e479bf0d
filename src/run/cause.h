// Why what a finding says is so. The names stand in reports; never give one another meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flatout::run {

enum class Cause : std::uint8_t {
  kNone,  // not known, or the finding needs none
  // input_bound
  kSingleProcessLoading,
  kIpcTransfer,
  kCollate,
  kWorkerCpu,
  kStorageIo,
  kRemoteWait,
  kNativeLoading,
  // host_bound
  kPythonInLoop,
  // cpu_contention
  kOwnThreads,
  kCpuQuota,
  kOtherPrograms,
  kHypervisor,
  // copy_bound
  kPageableMemory,
  kPcieDegraded,
  // launch_bound
  kSmallKernels,
  kHostOverhead,
  // comm_bound
  kExposedCollectives,
  kSmallMessages,
  // layout_transposes
  kConvolutionLayout,
  kStridedCopies,
  // precision_unused
  kFloat16Only,
  // rank_imbalance
  kLateData,
  kLateCopies,
  kLateCheckpoint,
  kLateHost,
  kLateCompute,
  // throttled
  kThermal,
  kPower,
  // device_unused
  kCpuBuild,
  // failed
  kException,
  kExitCode,
  kSignal,
};

constexpr std::array<std::string_view, 33> kCauseNames = {"",
                                                          "single_process_loading",
                                                          "ipc_transfer",
                                                          "collate",
                                                          "worker_cpu",
                                                          "storage_io",
                                                          "remote_wait",
                                                          "native_loading",
                                                          "python_in_loop",
                                                          "own_threads",
                                                          "cpu_quota",
                                                          "other_programs",
                                                          "hypervisor",
                                                          "pageable_memory",
                                                          "pcie_degraded",
                                                          "small_kernels",
                                                          "host_overhead",
                                                          "exposed_collectives",
                                                          "small_messages",
                                                          "convolution_layout",
                                                          "strided_copies",
                                                          "float16_only",
                                                          "late_data",
                                                          "late_copies",
                                                          "late_checkpoint",
                                                          "late_host",
                                                          "late_compute",
                                                          "thermal",
                                                          "power",
                                                          "cpu_build",
                                                          "exception",
                                                          "exit_code",
                                                          "signal"};
static_assert(kCauseNames.size() == static_cast<std::size_t>(Cause::kSignal) + 1);

// "" of kNone.
constexpr std::string_view cause_name(Cause cause) {
  return kCauseNames[static_cast<std::size_t>(cause)];
}

}  // namespace flatout::run
