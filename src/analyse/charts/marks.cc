#include <algorithm>

#include "analyse/charts/parts.h"

namespace flatout::analyse {
namespace {

const char* kind_name(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::kStartup:
      return "startup";
    case IntervalKind::kEval:
      return "eval";
    case IntervalKind::kEpochGap:
      break;
  }
  return "epoch_gap";
}

// Marks of one kind, in order; neighbours that touch on a screen become one.
class Row {
 public:
  Row(std::string kind, double resolution_s)
      : kind_(std::move(kind)), resolution_s_(resolution_s) {}

  void add(double start_s, double end_s) {
    if (end_s <= start_s) return;
    if (!marks_.empty() && start_s - marks_.back().end_s < resolution_s_) {
      run::Mark& last = marks_.back();
      last.end_s = std::max(last.end_s, end_s);
      last.busy_s += end_s - start_s;
      ++last.count;
    } else {
      marks_.push_back({kind_, start_s, end_s, 1, end_s - start_s});
    }
  }
  const std::vector<run::Mark>& marks() const { return marks_; }

 private:
  std::string kind_;
  double resolution_s_;
  std::vector<run::Mark> marks_;
};

}  // namespace

std::vector<run::Mark> marks(const Analysis& analysis, std::span<const run::Span> checkpoints,
                             RunTime time, std::size_t limit) {
  constexpr std::size_t kKinds = 4;
  const double resolution =
      time.duration_s() / static_cast<double>(std::max<std::size_t>(1, limit / kKinds));
  Row saves("checkpoint", resolution);
  for (const run::Span& save : checkpoints) {
    saves.add(time.seconds(save.begin_ns), time.seconds(save.end_ns));
  }
  std::vector<run::Mark> out = saves.marks();
  for (const IntervalKind kind :
       {IntervalKind::kStartup, IntervalKind::kEval, IntervalKind::kEpochGap}) {
    Row row(kind_name(kind), resolution);
    for (const Interval& interval : analysis.cut.intervals) {
      if (interval.kind != kind) continue;
      row.add(time.seconds(interval.begin_ns), time.seconds(interval.end_ns));
    }
    out.insert(out.end(), row.marks().begin(), row.marks().end());
  }
  std::ranges::stable_sort(out, {}, &run::Mark::start_s);
  return out;
}

}  // namespace flatout::analyse
