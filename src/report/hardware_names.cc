#include "report/hardware_names.h"

#include <algorithm>

namespace flatout::report {
namespace {

using run::Metric;

constexpr HardwareName kNames[] = {
    {Metric::kDeviceUtilization, "hw.gpu.utilization", "1", "hw.gpu.task", "general",
     "Share of time in which the GPU worked"},
    {Metric::kDeviceEncoderUtilization, "hw.gpu.utilization", "1", "hw.gpu.task", "encoder", ""},
    {Metric::kDeviceDecoderUtilization, "hw.gpu.utilization", "1", "hw.gpu.task", "decoder", ""},
    {Metric::kDeviceMemoryUsed, "hw.gpu.memory.usage", "By", "", "", "GPU memory in use", true},
    {Metric::kDevicePower, "hw.power", "W", "hw.type", "gpu", "Power drawn"},
    {Metric::kDeviceTemperature, "hw.temperature", "Cel", "hw.type", "gpu", "Temperature"},
};

}  // namespace

std::span<const HardwareName> hardware_names() { return kNames; }

std::string_view prometheus_unit(std::string_view unit) {
  if (unit == "1") return "ratio";
  if (unit == "By") return "bytes";
  if (unit == "W") return "watts";
  return unit == "Cel" ? "celsius" : "";
}

std::string prometheus_name(std::string_view name, std::string_view unit) {
  std::string out(name);
  std::ranges::replace(out, '.', '_');
  const std::string_view suffix = prometheus_unit(unit);
  return suffix.empty() ? out : out + "_" + std::string(suffix);
}

}  // namespace flatout::report
