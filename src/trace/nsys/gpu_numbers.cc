#include "trace/nsys/gpu_numbers.h"

#include <array>
#include <limits>

namespace flatout::trace {
namespace {

constexpr std::size_t kMostEntries = 65'536;
constexpr std::int64_t kMostNumber = std::numeric_limits<std::uint16_t>::max();

}  // namespace

std::string GpuNumbers::read(SqliteFile& file) {
  if (!file.has("TARGET_INFO_CUDA_DEVICE")) return "";
  constexpr std::array<std::string_view, 3> kColumns = {"pid", "cudaId", "gpuId"};
  auto rows = file.rows("TARGET_INFO_CUDA_DEVICE", kColumns);
  if (!rows) return rows.error().message;
  while (gpus_.size() < kMostEntries && rows->next()) {
    const auto pid = within<pid_t>(rows->integer(0), std::numeric_limits<pid_t>::max());
    const auto device = within<std::uint16_t>(rows->integer(1), kMostNumber);
    const auto gpu = within<std::uint16_t>(rows->integer(2), kMostNumber);
    if (!device || !gpu) continue;
    if (pid) gpus_[{*pid, *device}] = *gpu;
    const auto [known, added] = agreed_.try_emplace(*device, *gpu);
    if (!added && known->second != gpu) known->second.reset();
  }
  return rows->problem();
}

std::uint16_t GpuNumbers::of(pid_t pid, std::uint16_t device) const {
  if (const auto known = gpus_.find({pid, device}); known != gpus_.end()) return known->second;
  const auto agreed = agreed_.find(device);
  return agreed == agreed_.end() ? device : agreed->second.value_or(device);
}

std::string read_gpus(SqliteFile& file, TraceParts& parts) {
  if (!file.has("TARGET_INFO_GPU")) return "";
  constexpr std::array<std::string_view, 6> kColumns = {
      "id", "name", "totalMemory", "computeMajor", "computeMinor", "busLocation"};
  auto rows = file.rows("TARGET_INFO_GPU", kColumns);
  if (!rows) return rows.error().message;
  while (rows->next()) {
    const auto index = within<int>(rows->integer(0), kMostNumber);
    if (!index) continue;
    run::Device device;
    device.index = *index;
    device.visible_index = *index;
    device.vendor = "nvidia";
    device.name = rows->text(1).value_or("");
    device.pci_bus = rows->text(5).value_or("");
    const auto memory = rows->integer(2), major = rows->integer(3), minor = rows->integer(4);
    if (memory && *memory > 0) device.memory_total_bytes = memory;
    if (major && minor && *major > 0) {
      device.capability = std::to_string(*major) + "." + std::to_string(*minor);
    }
    parts.add_device(device);
  }
  return rows->problem();
}

}  // namespace flatout::trace
