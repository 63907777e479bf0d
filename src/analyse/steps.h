// Cuts the events of one step lane into steps, phases and intervals, by the
// definitions of the glossary:
//
//   step      one optimizer update (or several, where no draw lies between
//             them). It closes, after at least one update, at the begin of the
//             next batch fetch from a training iterator; where the lane fetches from no
//             training iterator, at the next outermost forward with gradients
//             on (of a model without modules: at the next backward) or the next
//             replay of a CUDA graph that holds an update; or at the
//             lane's last event. The first step starts at the
//             first such draw or forward; all before is start-up. Windows of
//             steps touch each other.
//             Where the program marks the ends of its steps, these alone close
//             them: the window goes from mark to mark, the first from the first
//             phase before it, and what follows the last mark is no step.
//             Such a replay is an update and its launch `other`; what is
//             captured into a graph executes nothing and is no update.
//   own time  a step's window minus the intervals inside it.
//   phases    exclusive host wall time; the innermost open span owns it, what
//             no span owns is `other`. They sum to the own time, to the ns.
//   eval      as the program marks it; else from the first draw (or iter_build)
//             of an eval iterator to the
//             next training draw, training iter_build or training forward, or
//             to a torch.save, which is a phase and not evaluation. Where the
//             lane calls next() of no training iterator: see hand_made_evaluation.h.
//   epoch_gap building a training iterator; the draw that ends its epoch.
//
// Work after the last closed step (a final evaluation) belongs to no step.
// Pure; any thread; never fails: damaged streams lose time to `other`, never
// the sum.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "run/event.h"
#include "run/lane_events.h"
#include "run/phase.h"

namespace flatout::analyse {

using PhaseNs = std::array<std::int64_t, run::kPhaseCount>;  // indexed by run::Phase

struct Step {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t own_ns = 0;  // == sum of phases
  PhaseNs phases{};
  int updates = 0;  // optimizer spans that ended; GradScaler and its optimizer count as two
  int replays = 0;  // of the updates, those that are replays of CUDA graphs
  int draws = 0;    // from training iterators, without the one that ends an epoch
  // Sum of the batches drawn; without draws, of the largest forward input
  // before each backward (model and loss see the same batch). Absent: unknown.
  std::optional<double> samples = {};

  std::int64_t phase_ns(run::Phase phase) const { return phases[static_cast<std::size_t>(phase)]; }
  friend bool operator==(const Step&, const Step&) = default;
};

enum class IntervalKind : std::uint8_t { kStartup, kEval, kEpochGap };

struct Interval {
  IntervalKind kind = IntervalKind::kStartup;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// One outermost `next` of a loader on the step lane.
struct Draw {
  std::uint32_t iterator = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool delivered = false;  // it returned a batch
  friend bool operator==(const Draw&, const Draw&) = default;
};

// An iterator of a training loader that was built outside of any draw, before the first step too.
struct IteratorBuild {
  std::uint32_t iterator = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  friend bool operator==(const IteratorBuild&, const IteratorBuild&) = default;
};

struct StepCut {
  std::vector<Step> steps;            // in order of time
  std::vector<Interval> intervals;    // in order of time, disjoint
  std::vector<Draw> draws;            // of all iterators, in order of time
  std::vector<IteratorBuild> builds;  // in order of time
  std::set<std::uint32_t> training_iterators;
  std::set<std::uint32_t> eval_iterators;
};

struct StepOptions {
  bool backward_updates = false;  // no update is seen: each backward is one
  std::int64_t start_ns = 0;      // of the run, where start-up begins; 0 = first event
  // iterator -> loader, from facts: an iterator that shows no evidence of its
  // own takes the class of its loader's other iterators.
  std::map<std::uint32_t, std::uint32_t> loader_of = {};
  // samples a batch of this loader holds, where the fetches do not say.
  std::map<std::uint32_t, double> batch_size_of = {};
};

// `events`: those of the step lane alone, in order of time (an event that
// goes back in time is moved to its predecessor's).
StepCut cut_steps(std::span<const run::PhaseEvent> events, const StepOptions& options = {});
StepCut cut_steps(const run::LaneEvents& events, const StepOptions& options = {});

// Takes the steps as they are cut, for whoever needs them one after the other.
class StepSink {
 public:
  virtual ~StepSink() = default;
  virtual void step(const Step& step) = 0;
  // A later step shows that the one of this number, from 0, had other samples than were given.
  virtual void correct_samples(std::size_t number, double samples) = 0;
};
// The same cut, of which `steps` stays empty. What is held is bounded by the longest outermost
// span, the number of intervals and that of draws.
StepCut cut_steps(const run::LaneEvents& events, const StepOptions& options, StepSink& sink);

}  // namespace flatout::analyse
