#include "serve/lanes/range_lanes.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "run/threads.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMostRows = 4;
// They last longer than ops and calls: a step, an epoch.
constexpr std::int64_t kLongestRangeNs = 10 * kLongestNs;

struct RangeRow {
  std::int64_t end_ns = 0;  // of the last one
  LaneSpans spans;
};

// The first that is free at `begin_ns`; null where there are enough.
RangeRow* row_at(std::vector<RangeRow>& rows, std::int64_t begin_ns, const Painter& painter) {
  const auto free =
      std::ranges::find_if(rows, [&](const RangeRow& row) { return row.end_ns <= begin_ns; });
  if (free != rows.end()) return &*free;
  if (rows.size() == kMostRows) return nullptr;
  return &rows.emplace_back(0, painter.new_spans());
}

}  // namespace

void paint_ranges(Painter& to, const run::Timeline& timeline, const run::ProcessTrack& process,
                  std::optional<std::uint16_t> lane, const std::string& group) {
  to.begin_lane();
  const run::Threads threads(process);
  std::vector<RangeRow> rows;
  bool left_out = false;
  for (const run::HostSpan& span :
       process.host_spans.between(to.window().begin_ns - kLongestRangeNs, to.window().end_ns)) {
    if (!to.spend(span.begin_ns)) break;
    const bool own = span.kind == run::HostSpanKind::kAnnotation && threads.of(span.lane) == lane;
    if (!own && span.kind != run::HostSpanKind::kRange) continue;
    if (span.end_ns <= to.window().begin_ns) continue;
    RangeRow* const row = row_at(rows, span.begin_ns, to);
    left_out |= row == nullptr;
    if (row == nullptr) continue;
    row->end_ns = span.end_ns;
    const std::string name = short_name(timeline.names->at(span.name));
    row->spans.add(span.begin_ns, span.end_ns, to.picture().names.number_of(name, "range"));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string label = i == 0 ? "ranges" : "ranges (" + std::to_string(i + 1) + ")";
    to.keep(group, label, "ranges", rows[i].spans);
  }
  if (left_out) to.leave_out(1);
}

}  // namespace flatout::serve
