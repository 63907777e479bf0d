// A Sample: (metric, source, time, value). A missing reading is not sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/metric.h"

namespace flatout::run {

// `source` reports what the value belongs to: kHostSource, a pid, or a device.
constexpr std::int32_t kHostSource = 0;
constexpr std::int32_t device_source(int index) { return -1 - index; }
constexpr int device_index(std::int32_t source) { return -1 - source; }  // of a device's source
constexpr bool is_device_source(std::int32_t source) { return source < 0; }

struct Sample {
  std::int64_t t_ns = 0;
  double value = 0;
  std::int32_t source = kHostSource;
  Metric metric{};
  friend bool operator==(const Sample&, const Sample&) = default;
};

// Implemented by record, filled by collect. One thread.
class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void add(const Sample& sample) = 0;
};

}  // namespace flatout::run
