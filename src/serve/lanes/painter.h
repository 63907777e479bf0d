// A picture that is being made: its lanes, and how much may yet be gone over for each. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/lanes/lanes.h"

namespace flatout::serve {

// Records lie in order of begin (batches: of end). One that began so long before the window is not
// looked for.
constexpr std::int64_t kLongestNs = 1'000'000'000;

inline std::string short_name(std::string_view name) {
  constexpr std::size_t kMostNameBytes = 200;
  if (name.size() <= kMostNameBytes) return std::string(name);
  return std::string(name.substr(0, kMostNameBytes)) + "...";
}

// A lane that is being filled, and how much may yet be gone over for it.
class Painter {
 public:
  Painter(Picture& to, std::size_t columns, std::size_t budget)
      : to_(to), columns_(columns), budget_(budget), until_ns_(to.window.end_ns) {}

  // False: enough was gone over; the picture ends at `t_ns`. What is looked at on the way to the
  // window is bounded by its time.
  bool spend(std::int64_t t_ns) {
    if (t_ns < to_.window.begin_ns || spent_++ < budget_) return true;
    until_ns_ = std::min(until_ns_, std::max(t_ns, to_.window.begin_ns + 1));
    return false;
  }
  void begin_lane() { spent_ = 0; }
  LaneSpans new_spans() const { return {to_.window, columns_}; }
  void keep(std::string group, std::string label, std::string_view kind, LaneSpans& spans) {
    auto all = spans.taken();
    if (all.empty()) return;
    if (to_.lanes.size() == kMostLanes) {
      ++to_.left_out;
      return;
    }
    to_.lanes.push_back({std::move(group), std::move(label), kind, std::move(all)});
  }
  Picture& picture() { return to_; }
  const analyse::TimeWindow& window() const { return to_.window; }
  // All lanes end where the shortest one does.
  void finish() {
    to_.window.end_ns = until_ns_;
    for (PictureLane& lane : to_.lanes) {
      std::erase_if(lane.spans, [&](const LaneSpan& span) { return span.begin_ns >= until_ns_; });
      for (LaneSpan& span : lane.spans) {
        span.end_ns = std::min(span.end_ns, until_ns_);
        span.filled_ns = std::min(span.filled_ns, span.end_ns - span.begin_ns);
      }
    }
    std::erase_if(to_.lanes, [](const PictureLane& lane) { return lane.spans.empty(); });
    keep_used_names();
  }
  void leave_out(std::size_t lanes) { to_.left_out += lanes; }

 private:
  // Not those of what was put together under another name.
  void keep_used_names() {
    LaneNames used;
    for (PictureLane& lane : to_.lanes) {
      for (LaneSpan& span : lane.spans) {
        const LaneNames::Name& name = to_.names.all()[span.name];
        span.name = used.number_of(name.text, name.kind);
      }
    }
    to_.names = std::move(used);
  }

  Picture& to_;
  std::size_t columns_, budget_, spent_ = 0;
  std::int64_t until_ns_;
};

}  // namespace flatout::serve
