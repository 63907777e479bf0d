// What a curve is and what part of it a screen shows. Plain values.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace flatout::serve {

struct SeriesInfo {
  std::string key;   // "m:device.utilization:-1", "v:123:0:loss"
  std::string name;  // "device.utilization", "loss"
  std::string kind;  // "metric", "value"
  std::string unit;
  std::string source;  // "host", "process", "device"
  std::string label;   // "GPU 0", "pid 123"
  std::optional<pid_t> pid = {};
  std::optional<int> device = {};
  std::optional<std::uint32_t> track = {};
  std::uint64_t count = 0;
  double first_ms = 0, last_ms = 0;  // since the run began
  std::optional<std::int64_t> first_step = {}, last_step = {};
  double first = std::numeric_limits<double>::quiet_NaN();
  double last = std::numeric_limits<double>::quiet_NaN();
  double min = std::numeric_limits<double>::quiet_NaN();  // of the finite ones
  double max = std::numeric_limits<double>::quiet_NaN();
  double mean = std::numeric_limits<double>::quiet_NaN();  // absent of what was not summed up yet
};

enum class Axis : std::uint8_t { kTime, kStep };

// What of a curve is to be shown: x from `from` to `to`, in `width` columns of pixels.
struct SeriesQuery {
  Axis axis = Axis::kTime;
  std::optional<double> from = {}, to = {};
  std::size_t width = 1000;
};
constexpr std::size_t kMaxWidth = 8192;

// In order of x; where `raw`, each is one that was recorded, and min, max and mean are empty.
// Else at most one entry a column of pixels (and one on either side of the picture), which stands
// for all points in it: its extremes are two points. A value that is not finite is NaN.
struct Curve {
  std::string key;
  std::vector<double> x = {}, min = {}, max = {}, mean = {}, last = {};
  bool raw = true;
};

// Some points in a row, summed up, or one of them.
struct CurvePoint {
  double x = 0;  // of the last one
  double min = 0, max = 0, last = 0;
  double sum = 0;  // of the finite ones
  std::uint64_t finite = 0;
};

// Those with from <= x <= to, and the neighbour on either side so that a line leaves the picture
// where it should. `points` in order of x. Where they are `single` and few enough, as they are.
void thin(const std::vector<CurvePoint>& points, bool single, double from, double to,
          std::size_t width, Curve& out);

}  // namespace flatout::serve
