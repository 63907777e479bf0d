#include "analyse/epochs.h"

#include <algorithm>

namespace flatout::analyse {
namespace {

// Both in order of time, as the windows of steps touch each other.
std::vector<Between> between_of(const StepCut& cut) {
  std::vector<Between> out(cut.steps.size());
  std::size_t step = 0;
  for (const Interval& interval : cut.intervals) {
    while (step < cut.steps.size() && cut.steps[step].end_ns <= interval.begin_ns) ++step;
    if (step == cut.steps.size()) break;
    if (interval.kind == IntervalKind::kStartup) continue;
    const std::int64_t begin = std::max(interval.begin_ns, cut.steps[step].begin_ns);
    const std::int64_t inside = std::min(interval.end_ns, cut.steps[step].end_ns) - begin;
    if (inside <= 0) continue;
    Between& of = out[step];
    (interval.kind == IntervalKind::kEval ? of.eval_ns : of.epoch_gap_ns) += inside;
  }
  return out;
}

// Finds, from draws and builds in order of time, which iterators are in the middle of an epoch.
class Going {
 public:
  explicit Going(const StepCut& cut) : builds_(cut.builds) {}

  // True where the draw delivers the first batch of an epoch.
  bool begins(const Draw& draw) {
    for (; next_ < builds_.size() && builds_[next_].begin_ns <= draw.begin_ns; ++next_) {
      going_.erase(builds_[next_].iterator);
    }
    if (draw.delivered) return going_.insert(draw.iterator).second;
    going_.erase(draw.iterator);
    return false;
  }

 private:
  const std::vector<IteratorBuild>& builds_;
  std::size_t next_ = 0;
  std::set<std::uint32_t> going_;
};

}  // namespace

Epochs find_epochs(const StepCut& cut, const std::set<std::uint32_t>& iterators) {
  Epochs out;
  out.between = between_of(cut);
  if (cut.steps.empty()) return out;
  Going going(cut);
  std::size_t step = 0;
  for (const Draw& draw : cut.draws) {
    if (!iterators.contains(draw.iterator)) continue;
    const bool begins = going.begins(draw);
    while (step < cut.steps.size() && cut.steps[step].end_ns <= draw.begin_ns) ++step;
    if (step == cut.steps.size()) {
      out.last_step_whole = !draw.delivered && draw.begin_ns == cut.steps.back().end_ns;
      break;
    }
    // Two that begin in one step, of two loaders, are one.
    if (begins && (out.begins.empty() || out.begins.back() != step)) out.begins.push_back(step);
  }
  for (const IteratorBuild& build : cut.builds) {
    if (build.begin_ns >= cut.steps.front().begin_ns) break;
    if (iterators.contains(build.iterator)) out.first_build_ns = build.end_ns - build.begin_ns;
  }
  return out;
}

std::optional<double> Epochs::steps(std::size_t all_steps) const {
  const std::size_t whole =
      last_step_whole ? begins.size() : begins.size() - (begins.empty() ? 0 : 1);
  if (whole == 0) return std::nullopt;
  const std::size_t end = last_step_whole ? all_steps : begins.back();
  return static_cast<double>(end - begins.front()) / static_cast<double>(whole);
}

}  // namespace flatout::analyse
