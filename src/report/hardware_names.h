// OpenTelemetry's names for what flatout reads of devices (semantic conventions, "hardware":
// opentelemetry.io/docs/specs/semconv/hardware/gpu/), for those who collect metrics. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "run/metric.h"

namespace flatout::report {

struct HardwareName {
  run::Metric metric;
  std::string_view name;       // "hw.gpu.utilization"
  std::string_view unit;       // UCUM: "1", "By", "W", "Cel"
  std::string_view attribute;  // "hw.gpu.task", "hw.type"; "" = none beside hw.id
  std::string_view value;      // of the attribute
  std::string_view text;
  bool adds_up = false;  // of several devices: an UpDownCounter, else a gauge
};

// Those of one name stand together.
std::span<const HardwareName> hardware_names();

inline constexpr std::string_view kMemoryLimitName = "hw.gpu.memory.limit";
inline constexpr std::string_view kMemoryLimitText = "Memory that the GPU has";

// Prometheus' spelling, as collectors write it: "hw_gpu_utilization_ratio" of
// ("hw.gpu.utilization", "1").
std::string prometheus_name(std::string_view name, std::string_view unit);
// "ratio", "bytes", "watts", "celsius"; "" = unknown.
std::string_view prometheus_unit(std::string_view unit);

}  // namespace flatout::report
