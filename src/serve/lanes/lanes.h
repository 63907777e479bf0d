// The lanes of a part of a run: phases of the ranks, batches of the loader's workers, and of a
// traced run ops, calls, ranges, streams and why the device idled. Pure; any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyse/kernels/idle_pieces.h"
#include "run/timeline.h"
#include "serve/lanes/lane_spans.h"
#include "serve/steps/step_table.h"

namespace flatout::serve {

struct PictureLane {
  std::string group;  // "rank 0", "GPU 0"
  std::string label;  // "phases", "stream 7"
  std::string_view kind;
  std::vector<LaneSpan> spans;
};

struct Picture {
  analyse::TimeWindow window;  // what is shown of what was asked for: see kMostRecords
  LaneNames names;
  std::vector<PictureLane> lanes;
  std::size_t left_out = 0;                                 // lanes beyond kMostLanes
  std::vector<std::pair<std::size_t, std::int64_t>> steps;  // number and begin, of the first rank
};

constexpr std::size_t kMostLanes = 96;
constexpr std::size_t kMostLaneSpans = 6000;  // of all lanes
constexpr std::size_t kMostRecords =
    2'000'000;                               // gone over; the picture ends where they are used up
constexpr std::size_t kMostStepMarks = 200;  // with more there are none

// What to show of a run of which nothing was chosen: a few steps from the middle of the steady
// ones, of a traced run of the longest traced time. Absent where nothing is known of any steps.
std::optional<analyse::TimeWindow> usual_window(const std::vector<StepsOf>& steps,
                                                const std::vector<analyse::DeviceIdle>& idle);

Picture paint_lanes(const run::Timeline& timeline, const std::vector<StepsOf>& steps,
                    const std::vector<analyse::DeviceIdle>& idle, analyse::TimeWindow asked,
                    std::size_t width);

}  // namespace flatout::serve
