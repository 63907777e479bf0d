// How large a batch can be, and how large it should be: a few trials at other sizes
// in, a line for memory, a line for time, the maximum and the knee out. It runs no
// trial itself. One thread.
//
// Memory: peak = a + b * size by least squares over the probes at B0, 2 B0 and 4 B0 (of
// two updates at least, since an optimizer's state is made by its first). What is left
// free: 5 % of the limit, or three times what the probes lie off the line, the larger
// (convolution workspaces make it piecewise). The maximum that the line promises is
// tried; only where that fails the sizes below it are halved in.
//
// Time: seconds a step = alpha + beta * size. A share f of the rate that no size exceeds,
// 1 / beta, is reached at f / (1 - f) * alpha / beta: the knee, 19 alpha / beta for 95 %.
// Larger ones cost memory and updates for less than 5 %. beta shows only where it weighs:
// sizes grow fourfold until the rate hardly does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace flatout::apply {

constexpr double kPlateauShare = 0.95;
constexpr double kLeastMargin = 0.05;      // of the limit
constexpr std::uint64_t kProbeSteps = 12;  // two updates, and as many as show the time of one
constexpr std::uint64_t kVerifySteps = 3;
constexpr std::int64_t kSizeStep = 8;  // sizes that are chosen are multiples of it
constexpr double kMostVerifySeconds = 20;

// What a trial at one size showed.
struct BatchTrial {
  enum class Outcome : std::uint8_t {
    kTrained,
    kOutOfMemory,
    kRefused,  // the knob could not be set
    kFailed,   // for another reason
  };
  std::int64_t size = 0;
  Outcome outcome = Outcome::kTrained;
  std::string reason = {};                // unless it trained
  std::optional<double> peak_bytes = {};  // absent: not measured
  std::optional<double> step_s = {};      // median of steady ones; absent: too few
};

struct Line {
  double at_zero = 0;
  double per_sample = 0;
  double deviation = 0;  // of the points from it, relative in a line of times; 0 with two
  double at(double size) const { return at_zero + per_sample * size; }
};

struct LinePoint {
  double size = 0;
  double value = 0;
};

// Least squares; `relative`: of deviations as shares of the values, which are positive.
// Absent with fewer than two sizes.
std::optional<Line> fit_line(const std::vector<LinePoint>& points, bool relative);

struct BatchSearchInput {
  BatchTrial present;                 // the program's own size
  std::optional<double> limit_bytes;  // of all it may hold; absent: not known
  double unusable_bytes = 0;          // held beyond the peak: what an allocator keeps in reserve
  std::optional<std::int64_t> most;   // samples there are; absent: not known
};

// Nothing: no time is left, or the user wants it to end. An Error ends the search.
using RunBatchTrial =
    std::function<base::Result<std::optional<BatchTrial>>(std::int64_t size, std::uint64_t steps)>;

struct BatchSearch {
  std::optional<Line> peak_bytes;
  std::optional<Line> step_s;
  std::optional<std::int64_t> maximum;  // that fits
  bool maximum_tried = false;           // a trial at it trained
  std::optional<std::int64_t> knee;     // larger than the program's own size
  std::string why_no_knee;              // one clause; "" with one
  std::string refusal;                  // of the knob at the first size: nothing is known then
  std::vector<BatchTrial> trials;       // all of them, the present size first
};

base::Result<BatchSearch> search_batch(const BatchSearchInput& input, const RunBatchTrial& run);

}  // namespace flatout::apply
