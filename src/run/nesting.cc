#include "run/nesting.h"

#include <algorithm>

namespace flatout::run {
namespace {

bool is_draw(Phase phase) { return phase == Phase::kDataWait || phase == Phase::kIterBuild; }

bool is_known(Phase phase) {
  return (phase > Phase::kOther && phase <= Phase::kEval) || phase == Phase::kReplay;
}

bool is_marked(std::uint32_t flags) { return (flags & kMarked) != 0; }

// GradScaler.step around Optimizer.step is as deep as updates nest.
constexpr int kOptimizerDepth = 2;

// Of a piece, at least: handing on costs a call.
constexpr std::size_t kPieceEdges = 1024;

}  // namespace

void Nester::add(const PhaseEvent& event) {
  now_ = std::max(now_, event.t_ns);
  if (event.phase == Phase::kStep && !event.begin) step(event);
  if (!is_known(event.phase)) return;
  if (event.begin) {
    begin(event);
  } else {
    end(event);
  }
  if (open_.empty() && edges_.size() >= kPieceEdges) hand_on();
}

void Nester::finish() {
  close_down_to(0);
  hand_on();
}

void Nester::hand_on() {
  if (!edges_.empty()) take_(edges_);
  edges_.clear();
}

bool Nester::can_hold(const Edge& outer, const PhaseEvent& inner) const {
  if (is_marked(outer.flags) && is_marked(inner.flags)) return outer.phase != inner.phase;
  if (is_marked(outer.flags) || is_marked(inner.flags)) return true;
  if (is_draw(inner.phase)) {
    return is_draw(outer.phase) && !(outer.phase == inner.phase && outer.id == inner.id);
  }
  switch (inner.phase) {
    case Phase::kForward:
      return outer.phase == Phase::kOptimizer || outer.phase == Phase::kBackward;
    case Phase::kBackward:
      return outer.phase == Phase::kOptimizer || outer.phase == Phase::kForward;
    case Phase::kOptimizer:
      return outer.phase == Phase::kForward || outer.phase == Phase::kBackward ||
             (outer.phase == Phase::kOptimizer && optimizers_open() < kOptimizerDepth);
    case Phase::kCheckpoint:
      return !is_draw(outer.phase) && outer.phase != Phase::kCheckpoint;
    default:
      return outer.phase != inner.phase;
  }
}

int Nester::optimizers_open() const {
  return static_cast<int>(std::ranges::count_if(
      open_, [this](std::size_t index) { return edges_[index].phase == Phase::kOptimizer; }));
}

void Nester::begin(const PhaseEvent& event) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (!can_hold(edges_[open_[i]], event)) {
      close_down_to(i);
      break;
    }
  }
  name_marked_draw(event);
  const bool outermost = std::ranges::none_of(
      open_, [&](std::size_t index) { return edges_[index].phase == event.phase; });
  open_.push_back(edges_.size());
  edges_.push_back({.t_ns = now_,
                    .phase = event.phase,
                    .begin = true,
                    .outermost = outermost,
                    .id = event.id,
                    .flags = event.flags,
                    .value = event.value});
}

// A wait that the program marked is a next() of the loader that it asks inside: which one, only
// that knows.
void Nester::name_marked_draw(const PhaseEvent& inner) {
  if (inner.phase != Phase::kDataWait || inner.id == 0) return;
  for (const std::size_t index : open_) {
    Edge& outer = edges_[index];
    if (outer.phase == Phase::kDataWait && outer.id == 0) outer.id = inner.id;
  }
}

void Nester::step(const PhaseEvent& event) {
  close_down_to(0);
  edges_.push_back({.t_ns = now_, .phase = Phase::kStep, .value = event.value});
}

void Nester::end(const PhaseEvent& event) {
  for (std::size_t i = open_.size(); i-- > 0;) {
    const Edge& outer = edges_[open_[i]];
    const bool same_id = event.phase != Phase::kDataWait || outer.id == event.id || event.id == 0;
    if (outer.phase != event.phase || !same_id) continue;
    close_down_to(i + 1);
    close_top(false, event);
    return;
  }
  if (event.phase != Phase::kOptimizer) return;
  begin(event);
  close_top(false, event);
}

void Nester::close_down_to(std::size_t depth) {
  while (open_.size() > depth) close_top(true, {});
}

void Nester::close_top(bool implied, const PhaseEvent& event) {
  Edge& opened = edges_[open_.back()];
  open_.pop_back();
  opened.flags |= event.flags;
  if (event.id != 0) opened.id = event.id;
  if (event.value != 0) opened.value = event.value;
  Edge closed = opened;
  closed.t_ns = now_;
  closed.begin = false;
  closed.implied = implied;
  edges_.push_back(closed);
}

std::vector<Edge> nest(std::span<const PhaseEvent> events) {
  std::vector<Edge> edges;
  Nester nester([&edges](std::span<const Edge> piece) {
    edges.insert(edges.end(), piece.begin(), piece.end());
  });
  for (const PhaseEvent& event : events) nester.add(event);
  nester.finish();
  return edges;
}

}  // namespace flatout::run
