#include "analyse/steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analyse/hand_made_evaluation.h"
#include "analyse/iterators.h"
#include "analyse/step_survey.h"
#include "run/nesting.h"

namespace flatout::analyse {
namespace {

using run::Phase;

// Keeps steps in the cut.
class KeepSteps final : public StepSink {
 public:
  explicit KeepSteps(std::vector<Step>& steps) : steps_(steps) {}
  void step(const Step& step) override { steps_.push_back(step); }
  void correct_samples(std::size_t number, double samples) override {
    steps_[number].samples = samples;
  }

 private:
  std::vector<Step>& steps_;
};

// One pass over the edges. Time between two edges belongs to whatever was open
// in between: start-up, an interval, or the innermost phase of the step.
class Cutter {
 public:
  Cutter(StepOverview known, const StepOptions& options, StepSink& sink)
      : options_(options),
        sink_(sink),
        marked_(known.marked),
        evaluations_(std::move(known.evaluations)),
        forwards_seen_(known.forwards_seen) {
    cut_.training_iterators = std::move(known.iterators.training);
    cut_.eval_iterators = std::move(known.iterators.eval);
    cut_.draws.reserve(known.most_draws);
  }

  // In order; `trains`: see training_forwards.
  void take(const run::Edge& edge, bool trains) {
    if (next_ == 0) {
      now_ = edge.t_ns;
      open_interval(IntervalKind::kStartup,
                    options_.start_ns != 0 ? std::min(options_.start_ns, now_) : now_);
    }
    take(next_++, edge, trains);
  }

  StepCut finish() && {
    close_interval();
    if (step_ && step_->updates > 0 && !marked_) close_step();
    return std::move(cut_);
  }

 private:
  bool is_training(std::uint32_t id) const { return cut_.training_iterators.contains(id); }
  bool is_eval(std::uint32_t id) const { return cut_.eval_iterators.contains(id); }
  bool in(IntervalKind kind) const { return interval_ && interval_->kind == kind; }

  void take(std::size_t index, const run::Edge& edge, bool trains) {
    account(edge.t_ns);
    if (edge.phase == Phase::kStep) {
      mark(edge);
    } else if (edge.begin) {
      begin(edge, trains);
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

  void begin(const run::Edge& edge, bool training_forward) {
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

  void end(const run::Edge& edge) {
    if (edge.phase == Phase::kEval && !inside_marked_eval() && in(IntervalKind::kEval)) {
      close_interval();
    }
    if (inside_marked_eval()) return;
    if (counts_as_update(edge, options_.backward_updates) && step_) {
      ++step_->updates;
      step_->replays += is_replay(edge) ? 1 : 0;
    }
    const bool gap_ends = edge.phase == Phase::kIterBuild || edge.phase == Phase::kDataWait;
    if (edge.phase == Phase::kIterBuild && !inside_draw() && !cut_.builds.empty() &&
        cut_.builds.back().iterator == edge.id) {
      cut_.builds.back().end_ns = edge.t_ns;
    }
    if (gap_ends && !inside_draw() && in(IntervalKind::kEpochGap)) close_interval();
    if (edge.phase == Phase::kDataWait && !inside_draw() && !cut_.draws.empty()) {
      cut_.draws.back().end_ns = edge.t_ns;
    }
  }

  // The program's own word: closes the step, whatever it held, and begins the next.
  void mark(const run::Edge& edge) {
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

  void begin_draw(const run::Edge& edge) {
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

  void begin_iter_build(const run::Edge& edge) {
    if (is_training(edge.id)) cut_.builds.push_back({edge.id, edge.t_ns, edge.t_ns});
    if (!step_) return;
    if (is_eval(edge.id)) {
      if (!interval_) open_interval(IntervalKind::kEval, edge.t_ns);
      return;
    }
    close_interval();
    open_interval(IntervalKind::kEpochGap, edge.t_ns);
  }

  void begin_forward(const run::Edge& edge, bool training) {
    if (!edge.outermost) return;
    const bool gradients = (edge.flags & run::kGradEnabled) != 0;
    if (in(IntervalKind::kEval) && training) close_interval();
    if (gradients && !in(IntervalKind::kEval)) begin_without_loader();
    if (gradients) forward_samples_ = std::max(forward_samples_, static_cast<double>(edge.value));
  }

  void begin_hand_made_evaluation(std::size_t index, const run::Edge& edge) {
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

  void add_samples(const run::Edge& draw) {
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
    sink_.step(*step_);
    ++closed_;
    step_.reset();
  }

  // A loop that draws one batch ahead has two in its first step of an epoch and
  // none in the last, which trains on one of those.
  void count_once() {
    if (step_->draws > std::max(backwards_, 1)) {
      drew_ahead_ = DrewAhead{closed_, step_->draws, step_->samples};
    } else if (step_->draws == 0 && drew_ahead_) {
      const DrewAhead ahead = *drew_ahead_;
      drew_ahead_.reset();
      if (!ahead.samples) return;
      const double batch = *ahead.samples / ahead.draws;
      sink_.correct_samples(ahead.number, *ahead.samples - batch);
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

  struct DrewAhead {
    std::size_t number = 0;  // of the step
    int draws = 0;
    std::optional<double> samples;
  };

  const StepOptions& options_;
  StepSink& sink_;
  StepCut cut_;
  std::size_t next_ = 0;    // index of the edge that comes
  std::size_t closed_ = 0;  // steps
  bool marked_ = false;
  std::map<std::size_t, std::size_t> evaluations_;
  std::size_t evaluation_end_ = 0;
  bool forwards_seen_ = false;
  std::int64_t now_ = 0;
  std::vector<Phase> open_;
  std::optional<Step> step_;
  std::optional<Interval> interval_;
  std::optional<DrewAhead> drew_ahead_;  // the step with more batches than it trained on
  int backwards_ = 0;                    // of the step
  double drawn_samples_ = 0, forward_samples_ = 0, forward_sum_ = 0, stated_samples_ = 0;
};

// Hands each edge to take(edge).
template <typename Events, typename Take>
void each_edge(const Events& events, const Take& take) {
  run::Nester nester([&take](std::span<const run::Edge> edges) {
    for (const run::Edge& edge : edges) take(edge);
  });
  for (const run::PhaseEvent& event : events) nester.add(event);
  nester.finish();
}

template <typename Events>
StepOverview survey(const Events& events, const StepOptions& options) {
  StepSurveyor surveyor(options);
  each_edge(events, [&surveyor](const run::Edge& edge) { surveyor.add(edge); });
  StepOverview known = std::move(surveyor).finish();
  if (!known.iterators.training.empty() || known.marked) return known;
  HandMadeEvaluations evaluations;
  std::size_t index = 0;
  each_edge(events, [&](const run::Edge& edge) { evaluations.add(index++, edge); });
  known.evaluations = std::move(evaluations).found();
  return known;
}

// Whether a forward trains may show only later: edges wait here until nothing is open.
template <typename Events>
void cut_edges(const Events& events, Cutter& cutter) {
  std::vector<run::Edge> waiting;
  bool open = false;
  const auto cut = [&] {
    const std::vector<bool> trains = training_forwards(waiting);
    for (std::size_t i = 0; i < waiting.size(); ++i) cutter.take(waiting[i], trains[i]);
    waiting.clear();
  };
  run::Nester nester([&](std::span<const run::Edge> edges) {
    for (const run::Edge& edge : edges) open = leaves_open(edge, open);
    waiting.insert(waiting.end(), edges.begin(), edges.end());
    if (!open) cut();
  });
  for (const run::PhaseEvent& event : events) nester.add(event);
  nester.finish();
  cut();
}

template <typename Events>
StepCut cut_into(const Events& events, const StepOptions& options, StepOverview known,
                 StepSink& sink) {
  Cutter cutter(std::move(known), options, sink);
  cut_edges(events, cutter);
  return std::move(cutter).finish();
}

template <typename Events>
StepCut cut_and_keep(const Events& events, const StepOptions& options) {
  StepOverview known = survey(events, options);
  std::vector<Step> steps;
  // Room that is not used is never touched; growing would copy what a day has.
  steps.reserve(known.most_steps);
  KeepSteps keep(steps);
  StepCut cut = cut_into(events, options, std::move(known), keep);
  cut.steps = std::move(steps);
  return cut;
}

}  // namespace

StepCut cut_steps(std::span<const run::PhaseEvent> events, const StepOptions& options) {
  return cut_and_keep(events, options);
}

StepCut cut_steps(const run::LaneEvents& events, const StepOptions& options) {
  return cut_and_keep(events, options);
}

StepCut cut_steps(const run::LaneEvents& events, const StepOptions& options, StepSink& sink) {
  return cut_into(events, options, survey(events, options), sink);
}

StepOverview survey_steps(const run::LaneEvents& events, const StepOptions& options) {
  return survey(events, options);
}

StepCut cut_steps(const run::LaneEvents& events, const StepOptions& options, StepOverview known,
                  StepSink& sink) {
  return cut_into(events, options, std::move(known), sink);
}

}  // namespace flatout::analyse
