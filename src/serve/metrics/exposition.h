// Metrics as Prometheus reads them: OpenMetrics where it asks for that, else its text format.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flatout::serve {

// Names of labels with their values, in order; values may hold anything.
using Labels = std::vector<std::pair<std::string_view, std::string>>;

struct MetricSample {
  std::string labels;  // as label_text() writes them
  double value = 0;
};

struct MetricFamily {
  enum class Kind : std::uint8_t { kGauge, kCounter };
  std::string name;  // of a counter without "_total"
  Kind kind = Kind::kGauge;
  std::string unit;  // the name's ending; "" = none
  std::string help;
  std::vector<MetricSample> samples;
};

// {a="b",...}: what would end a value is written out, what is no UTF-8 becomes U+FFFD.
std::string label_text(const Labels& labels);

enum class Exposition : std::uint8_t { kOpenMetrics, kText };
Exposition exposition_for(std::string_view accept);  // the header; "" = none
std::string_view content_type(Exposition format);

// Families without samples are left out.
std::string written(const std::vector<MetricFamily>& families, Exposition format);

}  // namespace flatout::serve
