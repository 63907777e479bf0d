#include "analyse/steps.h"

#include <algorithm>

#include "analyse/hand_made_evaluation.h"
#include "analyse/iterators.h"
#include "analyse/nesting.h"

namespace flatout::analyse {
namespace {

using run::Phase;

constexpr std::uint32_t kNoUpdate = run::kRaised | run::kPaused | run::kCaptured;

bool is_replay(const Edge& end) {
  return end.phase == Phase::kReplay && !end.implied && (end.flags & run::kRaised) == 0;
}

bool counts_as_update(const Edge& end, bool backward_updates) {
  if (is_replay(end)) return true;
  const Phase update = backward_updates ? Phase::kBackward : Phase::kOptimizer;
  return end.phase == update && !end.implied && (end.flags & kNoUpdate) == 0;
}

// One pass over the edges. Time between two edges belongs to whatever was open
// in between: start-up, an interval, or the innermost phase of the step.
class Cutter {
 public:
  Cutter(std::span<const Edge> edges, const StepOptions& options)
      : edges_(edges), options_(options), trains_(training_forwards(edges)) {
    IteratorClasses classes = classify_iterators(edges, options.loader_of);
    cut_.training_iterators = std::move(classes.training);
    cut_.eval_iterators = std::move(classes.eval);
    marked_ =
        std::ranges::any_of(edges, [](const Edge& edge) { return edge.phase == Phase::kStep; });
    if (cut_.training_iterators.empty() && !marked_) evaluations_ = hand_made_evaluations(edges);
    forwards_seen_ = std::ranges::any_of(edges, [](const Edge& edge) {
      return edge.phase == Phase::kForward && (edge.flags & run::kGradEnabled) != 0;
    });
  }

  StepCut run() && {
    if (edges_.empty()) return std::move(cut_);
    now_ = edges_.front().t_ns;
    open_interval(IntervalKind::kStartup,
                  options_.start_ns != 0 ? std::min(options_.start_ns, now_) : now_);
    for (std::size_t i = 0; i < edges_.size(); ++i) take(i);
    close_interval();
    if (step_ && step_->updates > 0 && !marked_) close_step();
    return std::move(cut_);
  }

 private:
  bool is_training(std::uint32_t id) const { return cut_.training_iterators.contains(id); }
  bool is_eval(std::uint32_t id) const { return cut_.eval_iterators.contains(id); }
  bool in(IntervalKind kind) const { return interval_ && interval_->kind == kind; }

  void take(std::size_t index) {
    const Edge& edge = edges_[index];
    account(edge.t_ns);
    if (edge.phase == Phase::kStep) {
      mark(edge);
    } else if (edge.begin) {
      begin(edge, trains_[index]);
      begin_hand_made_evaluation(index, edge);
      open_.push_back(edge.phase);
    } else {
      open_.pop_back();
      end(edge);
      if (index == evaluation_end_ && in(IntervalKind::kEval)) close_interval();
    }
  }

  void account(std::int64_t t_ns) {
    const std::int64_t elapsed = t_ns - now_;
    now_ = t_ns;
    if (interval_ || !step_) return;
    step_->phases[static_cast<std::size_t>(owner())] += elapsed;
    step_->own_ns += elapsed;
  }

  // An iter_build inside a draw is part of that draw; elsewhere it is an
  // interval, and never asked for here, unless an evaluation ended inside it.
  // The launch of a graph is no phase of its own.
  Phase owner() const {
    const auto top = std::find_if(open_.rbegin(), open_.rend(), [](Phase phase) {
      return phase != Phase::kIterBuild && phase != Phase::kReplay;
    });
    return top == open_.rend() ? Phase::kOther : *top;
  }

  void begin(const Edge& edge, bool training_forward) {
    if (inside_marked_eval()) return;
    if (marked_ && !step_ && edge.phase != Phase::kEval && edge.phase != Phase::kIterBuild) {
      begin_first_marked();
    }
    switch (edge.phase) {
      case Phase::kEval:
        if (!step_) break;  // before the first step it is start-up
        close_interval();
        open_interval(IntervalKind::kEval, edge.t_ns);
        break;
      case Phase::kDataWait:
        if (!inside_draw()) begin_draw(edge);
        break;
      case Phase::kIterBuild:
        if (!inside_draw()) begin_iter_build(edge);
        break;
      case Phase::kForward:
        begin_forward(edge, training_forward);
        break;
      case Phase::kBackward:
        if (in(IntervalKind::kEval)) close_interval();
        if (!forwards_seen_) begin_without_loader();
        end_micro_batch();
        ++backwards_;
        break;
      case Phase::kReplay:
        if (in(IntervalKind::kEval)) close_interval();
        begin_without_loader();
        break;
      case Phase::kCheckpoint:
        if (in(IntervalKind::kEval)) close_interval();
        break;
      default:
        break;
    }
  }

  void end(const Edge& edge) {
    if (edge.phase == Phase::kEval && !inside_marked_eval() && in(IntervalKind::kEval)) {
      close_interval();
    }
    if (inside_marked_eval()) return;
    if (counts_as_update(edge, options_.backward_updates) && step_) {
      ++step_->updates;
      step_->replays += is_replay(edge) ? 1 : 0;
    }
    const bool gap_ends = edge.phase == Phase::kIterBuild || edge.phase == Phase::kDataWait;
    if (gap_ends && !inside_draw() && in(IntervalKind::kEpochGap)) close_interval();
    if (edge.phase == Phase::kDataWait && !inside_draw() && !cut_.draws.empty()) {
      cut_.draws.back().end_ns = edge.t_ns;
    }
  }

  // The program's own word: closes the step, whatever it held, and begins the next.
  void mark(const Edge& edge) {
    close_interval();
    if (edge.value != 0) drawn_samples_ = static_cast<double>(edge.value);
    next_step();
  }

  void begin_first_marked() {
    close_interval();
    next_step();
  }

  bool inside_marked_eval() const { return std::ranges::find(open_, Phase::kEval) != open_.end(); }

  bool inside_draw() const {
    return std::ranges::any_of(
        open_, [](Phase p) { return p == Phase::kDataWait || p == Phase::kIterBuild; });
  }

  void begin_draw(const Edge& edge) {
    const bool delivered = (edge.flags & (run::kExhausted | run::kRaised)) == 0;
    cut_.draws.push_back({edge.id, edge.t_ns, edge.t_ns, delivered});
    if (!is_training(edge.id)) {
      if (is_eval(edge.id) && !interval_ && step_) open_interval(IntervalKind::kEval, edge.t_ns);
      return;
    }
    close_interval();
    if (!step_ || (step_->updates > 0 && !marked_)) next_step();
    if ((edge.flags & run::kExhausted) != 0) {
      open_interval(IntervalKind::kEpochGap, edge.t_ns);
    } else if (delivered) {
      ++step_->draws;
      add_samples(edge);
    }
  }

  void begin_iter_build(const Edge& edge) {
    if (!step_) return;
    if (is_eval(edge.id)) {
      if (!interval_) open_interval(IntervalKind::kEval, edge.t_ns);
      return;
    }
    close_interval();
    open_interval(IntervalKind::kEpochGap, edge.t_ns);
  }

  void begin_forward(const Edge& edge, bool training) {
    if (!edge.outermost) return;
    const bool gradients = (edge.flags & run::kGradEnabled) != 0;
    if (in(IntervalKind::kEval) && training) close_interval();
    if (gradients && !in(IntervalKind::kEval)) begin_without_loader();
    if (gradients) forward_samples_ = std::max(forward_samples_, static_cast<double>(edge.value));
  }

  void begin_hand_made_evaluation(std::size_t index, const Edge& edge) {
    const auto evaluation = evaluations_.find(index);
    if (evaluation == evaluations_.end() || interval_ || !step_) return;
    open_interval(IntervalKind::kEval, edge.t_ns);
    evaluation_end_ = evaluation->second;
  }

  // A boundary of steps where the lane calls next() of no training iterator.
  void begin_without_loader() {
    if (!cut_.training_iterators.empty()) return;
    if (step_ && (step_->updates == 0 || marked_)) return;
    close_interval();
    next_step();
  }

  void add_samples(const Edge& draw) {
    if (draw.value != 0) {
      drawn_samples_ += static_cast<double>(draw.value);
      return;
    }
    const auto loader = options_.loader_of.find(draw.id);
    if (loader == options_.loader_of.end()) return;
    const auto batch = options_.batch_size_of.find(loader->second);
    if (batch != options_.batch_size_of.end()) stated_samples_ += batch->second;
  }

  void end_micro_batch() {
    forward_sum_ += forward_samples_;
    forward_samples_ = 0;
  }

  void next_step() {
    if (step_) close_step();
    step_ = Step{.begin_ns = now_};
    drawn_samples_ = forward_sum_ = forward_samples_ = stated_samples_ = 0;
    backwards_ = 0;
  }

  void close_step() {
    step_->end_ns = now_;
    end_micro_batch();
    for (double samples : {drawn_samples_, forward_sum_, stated_samples_}) {
      if (!step_->samples && samples > 0) step_->samples = samples;
    }
    count_once();
    cut_.steps.push_back(*step_);
    step_.reset();
  }

  // A loop that draws one batch ahead has two in its first step of an epoch and
  // none in the last, which trains on one of those.
  void count_once() {
    if (step_->draws > std::max(backwards_, 1)) {
      drew_ahead_ = cut_.steps.size();
    } else if (step_->draws == 0 && drew_ahead_) {
      Step& ahead = cut_.steps[*drew_ahead_];
      drew_ahead_.reset();
      if (!ahead.samples) return;
      const double batch = *ahead.samples / ahead.draws;
      *ahead.samples -= batch;
      step_->samples = batch;
    }
  }

  void open_interval(IntervalKind kind, std::int64_t t_ns) {
    interval_ = Interval{kind, t_ns, t_ns};
  }

  void close_interval() {
    if (!interval_) return;
    interval_->end_ns = now_;
    if (interval_->end_ns > interval_->begin_ns) cut_.intervals.push_back(*interval_);
    interval_.reset();
  }

  std::span<const Edge> edges_;
  const StepOptions& options_;
  std::vector<bool> trains_;
  StepCut cut_;
  bool marked_ = false;                             // the program marks the ends of its steps
  std::map<std::size_t, std::size_t> evaluations_;  // see hand_made_evaluations()
  std::size_t evaluation_end_ = 0;
  bool forwards_seen_ = false;  // with gradients on
  std::int64_t now_ = 0;
  std::vector<Phase> open_;
  std::optional<Step> step_;
  std::optional<Interval> interval_;
  std::optional<std::size_t> drew_ahead_;  // the step with more batches than it trained on
  int backwards_ = 0;                      // of the step
  double drawn_samples_ = 0, forward_samples_ = 0, forward_sum_ = 0, stated_samples_ = 0;
};

}  // namespace

StepCut cut_steps(std::span<const run::PhaseEvent> events, const StepOptions& options) {
  const std::vector<Edge> edges = nest(events);
  return Cutter(edges, options).run();
}

}  // namespace flatout::analyse
