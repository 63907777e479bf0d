#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "analyse/analysis.h"
#include "analyse/background_draws.h"
#include "analyse/facts.h"
#include "analyse/kernels/allocator_memory.h"
#include "analyse/kernels/kernel_trace.h"
#include "analyse/kernels/traced_lanes.h"
#include "analyse/phase_waits.h"
#include "analyse/repeating/ranged_steps.h"
#include "analyse/run_steps.h"
#include "analyse/stats.h"
#include "analyse/step_lane.h"
#include "analyse/training_loader.h"
#include "run/spans.h"

namespace flatout::analyse {
namespace {

using run::Phase;

// Below this share the step says too little about the cores compute uses.
constexpr double kLeastComputeShare = 0.05;

NoSteps why_no_steps(const run::Timeline& timeline) {
  const bool marks = std::ranges::any_of(timeline.processes, [](const auto& entry) {
    return !entry.second.facts.observed().marks.empty();
  });
  if (marks) return NoSteps::kNoMarks;
  if (!timeline.info.hooks_off.empty()) return NoSteps::kHooksOff;
  const bool anything = std::ranges::any_of(timeline.processes, [](const auto& entry) {
    const run::ProcessTrack& track = entry.second;
    return !track.phases.empty() || !track.facts.observed().environments.empty();
  });
  if (anything) return NoSteps::kNoUpdate;
  return first_problem(timeline).empty() ? NoSteps::kNoTorch : NoSteps::kHooksMissing;
}

std::string script_of(const std::vector<std::string>& command) {
  const auto script =
      std::ranges::find_if(command, [](const std::string& word) { return word.ends_with(".py"); });
  if (script != command.end()) return std::filesystem::path(*script).filename().string();
  return command.empty() ? std::string()
                         : std::filesystem::path(command.front()).filename().string();
}

bool computes_on_cuda(const run::ProcessTrack& process) {
  if (!process.device_phases.empty() || !process.activities.empty()) return true;
  const run::Observed& said = process.facts.observed();
  if (const auto device = model_device(said); !device.empty()) return device.starts_with("cuda");
  const run::EnvironmentFact* environment = run::latest_of(said.environments);
  return environment != nullptr && environment->device == "cuda";
}

void measure_whole_run(Analysis& analysis, const run::Timeline& timeline,
                       const run::LaneEvents& events, const run::Observed& said) {
  const std::int64_t end_ns = timeline.end ? timeline.end->t_ns : timeline.last_ns;
  analysis.account =
      account_of(analysis.cut, analysis.warm_up.dropped, timeline.info.started_ns, end_ns);
  analysis.evaluations = measure_evaluations(analysis.cut, events, said);
  const run::ImportsFact* imports = run::latest_of(said.imports);
  analysis.startup =
      measure_startup(analysis.cut, events, imports != nullptr ? imports->seconds : std::nullopt,
                      analysis.account.startup_s);
  const bool stopped = std::ranges::any_of(timeline.processes, [](const auto& entry) {
    return !entry.second.facts.observed().stopped.empty();
  });
  analysis.ended_by_itself = timeline.state == run::RunState::kFinished && !stopped;
}

// Of an Interval or a Span.
template <typename T>
std::int64_t overlap(const T& spent, std::int64_t begin_ns, std::int64_t end_ns) {
  return std::max<std::int64_t>(
      0, std::min(spent.end_ns, end_ns) - std::max(spent.begin_ns, begin_ns));
}

void sum_intervals(Analysis& analysis) {
  const TimeWindow window = analysis.steady_window();
  auto step = analysis.steady().begin();
  const Step* last_gap = nullptr;
  for (const Interval& interval : analysis.cut.intervals) {
    const std::int64_t inside = overlap(interval, window.begin_ns, window.end_ns);
    if (inside == 0) continue;
    if (interval.kind == IntervalKind::kEval) analysis.steady_eval_ns += inside;
    if (interval.kind != IntervalKind::kEpochGap) continue;
    analysis.steady_epoch_gap_ns += inside;
    while (step->end_ns <= interval.begin_ns) ++step;
    // The draw that ends an epoch and the build of the next iterator are one gap.
    if (&*step != last_gap) ++analysis.steady_epoch_gaps;
    last_gap = &*step;
  }
}

void sum_steady(Analysis& analysis) {
  double samples = 0;
  std::vector<double> sizes;
  for (const Step& step : analysis.steady()) {
    analysis.steady_own_ns += step.own_ns;
    for (std::size_t i = 0; i < step.phases.size(); ++i) {
      analysis.steady_phases[i] += step.phases[i];
    }
    if (!step.samples) continue;
    samples += *step.samples;
    sizes.push_back(*step.samples);
  }
  // Half of the steps may have lost their counts; fewer would not speak for all.
  if (!sizes.empty() && sizes.size() * 2 >= analysis.steady().size()) {
    analysis.samples_per_step = samples / static_cast<double>(sizes.size());
    analysis.usual_samples = median(sizes);
  }
  analysis.replays =
      std::ranges::all_of(analysis.steady(), [](const Step& step) { return step.replays > 0; });
  sum_intervals(analysis);
}

// PyTorch waits for the gradients of DistributedDataParallel inside backward, where no event of
// ours can lie: by the median iteration that it measured itself, once a step.
void part_backward(Analysis& analysis, std::span<const run::DdpFact> measured,
                   std::map<Phase, std::int64_t>& sums) {
  std::vector<double> waits_ns;
  for (const run::DdpFact& fact : measured) waits_ns.push_back(fact.waited_ns);
  const std::optional<double> wait_ns = median(waits_ns);
  if (!wait_ns || !sums.contains(Phase::kBackward)) return;
  const double all = *wait_ns * static_cast<double>(analysis.steady().size());
  const auto waited =
      static_cast<std::int64_t>(std::min(all, static_cast<double>(sums[Phase::kBackward])));
  sums[Phase::kBackward] -= waited;
  sums[Phase::kComm] += waited;
  analysis.device_ddp_share =
      static_cast<double>(waited) / static_cast<double>(analysis.steady_own_ns);
}

// In order of time.
bool in_evaluation(std::span<const Interval> intervals, std::int64_t t_ns) {
  const auto next = std::ranges::upper_bound(intervals, t_ns, {}, &Interval::begin_ns);
  if (next == intervals.begin()) return false;
  const Interval& last = *std::prev(next);
  return last.kind == IntervalKind::kEval && t_ns <= last.end_ns;
}

void sum_device_phases(Analysis& analysis, const run::ProcessTrack& process) {
  if (analysis.steady_own_ns <= 0) return;
  const TimeWindow window = analysis.steady_window();
  std::map<Phase, std::int64_t> sums;
  std::int64_t replayed = 0;
  run::DeviceSpans device(analysis.pid);
  process.device_phases.backwards([&](const run::DevicePhase& phase) {
    const run::Span spent = device.span_of(phase);
    const std::int64_t inside = overlap(spent, window.begin_ns, window.end_ns);
    const std::int64_t middle = spent.end_ns - phase.duration_ns / 2;
    if (inside == 0 || in_evaluation(analysis.cut.intervals, middle)) return;
    if (spent.phase == Phase::kReplay) {
      sums[Phase::kOther] += inside;
      replayed += inside;
    } else if (spent.phase < Phase::kIterBuild) {
      sums[spent.phase] += inside;
    }
  });
  part_backward(analysis, process.facts.observed().ddp, sums);
  const auto own = static_cast<double>(analysis.steady_own_ns);
  analysis.device_replay_share = static_cast<double>(replayed) / own;
  for (const auto& [phase, sum] : sums) {
    analysis.device_phases.emplace_back(phase, static_cast<double>(sum) / own);
  }
}

template <typename T>
std::optional<T> copied(const T* said) {
  return said != nullptr ? std::optional(*said) : std::nullopt;
}

void read_facts(Analysis& analysis, const run::Observed& said) {
  analysis.environment = copied(run::latest_of(said.environments));
  analysis.precision = copied(run::latest_of(said.precisions));
  analysis.optimizer = copied(run::first_of(said.optimizers));
  analysis.model = copied(run::first_of(said.models));
  analysis.framework = copied(run::latest_of(said.frameworks));
  const run::RankFact* rank = run::latest_of(said.ranks);
  if (rank != nullptr) analysis.world_size = std::max(1, rank->world_size);
  std::ranges::copy_if(said.copies, std::back_inserter(analysis.copies),
                       [](const run::CopyFact& copy) { return copy.phase == "h2d"; });
}

void add_devices(Analysis& analysis, const run::Timeline& timeline,
                 std::span<const std::int64_t> step_ns) {
  const CudaUse use = cuda_use(timeline, analysis.pid);
  std::vector<double> lengths(step_ns.begin(), step_ns.end());
  const SteadyTime steady = {analysis.steady_window(), analysis.cut.intervals,
                             median(lengths).value_or(0)};
  analysis.devices = measure_device_stats(timeline, steady, use);
  analysis.own_device_processes_known = std::ranges::any_of(timeline.series, [](const auto& entry) {
    return entry.first.metric == run::Metric::kProcessDeviceMemoryUsed ||
           entry.first.metric == run::Metric::kProcessDeviceUtilization;
  });
  if (analysis.cuda) analysis.step_device = find_step_device(analysis.devices, use);
}

// Of a run without steps, a server of a model or a program in C++: what the driver said of its
// devices during the whole run, where they did anything.
void add_devices_of_whole_run(Analysis& analysis, const run::Timeline& timeline) {
  if (timeline.devices.empty()) return;
  const std::int64_t end_ns = timeline.end ? timeline.end->t_ns : timeline.last_ns;
  const SteadyTime whole = {{analysis.start_ns, end_ns}, {}, 0};
  analysis.devices = measure_device_stats(timeline, whole, cuda_use(timeline, 0));
  std::erase_if(analysis.devices, [](const DeviceStats& stats) {
    return stats.idle_throughout || !stats.used.value_or(true);
  });
}

void add_traces(Analysis& analysis, const run::Timeline& timeline,
                const std::optional<StepLane>& lane) {
  analysis.foreign_trace = !timeline.info.trace_file.empty();
  std::optional<TracedLane> traced;
  if (lane) traced = {.pid = lane->pid, .lane = lane->lane, .first_step_ns = {}};
  if (traced && !analysis.foreign_trace && !analysis.cut.steps.empty()) {
    traced->first_step_ns = analysis.cut.steps.front().begin_ns;
    traced->evaluations = evaluations_of(analysis.cut);
  }
  const std::vector<TracedLane> others = other_traced_lanes(timeline, lane ? lane->pid : 0);
  KernelTraces traces = measure_kernel_trace(timeline, traced, analysis.steady(), others);
  if (analysis.cut.steps.empty() && analysis.foreign_trace) analysis.no_steps = NoSteps::kTrace;
  if (traces.devices.empty()) return;
  analysis.cuda = true;
  // A run's allocators are sampled: device/sampled_allocator.h.
  for (auto& [device, trace] : traces.devices) {
    if (!analysis.foreign_trace) break;
    trace.memory = measure_allocator(timeline, device, analysis.cut.steps);
  }
  analysis.kernel_traces = std::move(traces.devices);
  analysis.steady_traces = std::move(traces.steady);
  analysis.traced_phases = std::move(traces.phases);
}

std::string unmarked_steps_note(const RepeatingSteps& found) {
  if (!found.ranges.empty()) {
    return "steps: from the program's ranges \"" + found.ranges +
           "\"; what lies between two counts to the second";
  }
  return "steps: from the repeating kernel sequence, " + std::to_string(found.activities) +
         " activities each" + (found.bursts ? " in the median" : "") +
         "; what lies between two counts to the first";
}

// What can be said of steps of which the times are known, and no phases.
Analysis with_unmarked_steps(Analysis analysis, const run::Timeline& timeline,
                             RepeatingSteps found) {
  const run::ProcessTrack& process = timeline.processes.at(found.pid);
  analysis.pid = found.pid;
  analysis.cuda = computes_on_cuda(process);
  analysis.step_ranges = found.ranges;
  if (found.ranges.empty()) analysis.repeated_activities = found.activities;
  analysis.notes.push_back(unmarked_steps_note(found));
  if (!found.gapless) {
    analysis.notes.emplace_back("only the steps that lie in a window of tracing were counted");
  }
  analysis.cut = {};
  analysis.cut.steps = std::move(found.steps);
  std::vector<std::int64_t> step_ns;
  for (const Step& step : analysis.cut.steps) step_ns.push_back(step.own_ns);
  analysis.warm_up = repeating_warm_up(timeline, analysis.cut.steps);
  if (found.gapless) {
    const std::int64_t first_ns = analysis.cut.steps.front().begin_ns;
    analysis.cut.intervals = {{IntervalKind::kStartup, analysis.start_ns, first_ns}};
    analysis.account = account_of(analysis.cut, analysis.warm_up.dropped, analysis.start_ns,
                                  timeline.end ? timeline.end->t_ns : timeline.last_ns);
  }
  sum_steady(analysis);
  StepLane lane = {.pid = found.pid, .lane = found.lane.value_or(0), .notes = {}};
  add_traces(analysis, timeline, lane);
  analysis.traced_phases.clear();  // nobody said what is which phase
  read_facts(analysis, process.facts.observed());
  add_devices(analysis, timeline, step_ns);
  analysis.contention = measure_contention(timeline, found.pid, false, analysis.steady_window());
  return analysis;
}

// What is left to say of a run in which no step was found.
Analysis without_steps(Analysis analysis, const run::Timeline& timeline,
                       const std::optional<StepLane>& lane, NoSteps why) {
  if (auto found = find_unmarked_steps(timeline)) {
    return with_unmarked_steps(std::move(analysis), timeline, *std::move(found));
  }
  analysis.no_steps = why;
  add_traces(analysis, timeline, lane);
  if (!analysis.kernel_traces.empty()) {
    analysis.notes.emplace_back("no period was found in the kernel sequence: steps are not known");
  }
  add_devices_of_whole_run(analysis, timeline);
  return analysis;
}

std::optional<double> compute_cores(const Analysis& analysis) {
  const double compute = analysis.compute_share();
  if (!analysis.contention.step_cores || compute < kLeastComputeShare) return std::nullopt;
  const double data_wait = analysis.share(Phase::kDataWait);
  const bool fetches = analysis.loader && analysis.loader->in_step_thread;
  const double loading = fetches ? data_wait * analysis.loader->sample_cpu_share.value_or(1) : 0;
  const double single = std::max(0.0, 1 - compute - data_wait);
  const double cores = (*analysis.contention.step_cores - loading - single) / compute;
  const double most = analysis.cpus > 0 ? analysis.cpus : cores;
  // One thread at least runs in these phases, unless it had no core.
  return std::clamp(cores, std::min(1.0, most), std::max(1.0, most));
}

}  // namespace

Analysis measure(const run::Timeline& timeline) {
  Analysis analysis;
  analysis.start_ns = timeline.info.started_ns;
  analysis.cpus = timeline.info.cpus;
  analysis.records_dropped = timeline.counts.dropped > 0;
  analysis.main_script = script_of(timeline.info.command);
  analysis.distributed = std::ranges::any_of(timeline.processes, [](const auto& entry) {
    return std::ranges::any_of(run::phase_counts(entry.second), [](const run::PhaseCount& count) {
      return count.phase == Phase::kComm;
    });
  });

  const std::optional<StepLane> lane = find_step_lane(timeline);
  if (!lane) return without_steps(std::move(analysis), timeline, lane, why_no_steps(timeline));
  const run::ProcessTrack& process = timeline.processes.at(lane->pid);
  analysis.pid = lane->pid;
  analysis.lane = lane->lane;
  analysis.notes = lane->notes;
  analysis.cuda = computes_on_cuda(process);
  const run::LaneEvents events(process, lane->lane);
  analysis.updates = lane->updates;
  for (const run::PhaseCount& count : run::phase_counts(process)) {
    if (count.lane == lane->lane) analysis.phases_seen.insert(count.phase);
  }
  analysis.forwards_seen = analysis.phases_seen.contains(Phase::kForward);
  const run::Observed& said = process.facts.observed();
  analysis.marks_only = !said.marks.empty() && said.environments.empty();
  analysis.cut = cut_steps(events, step_options(timeline, process, lane->updates));
  if (analysis.cut.steps.empty()) {
    return without_steps(std::move(analysis), timeline, lane, NoSteps::kNoUpdate);
  }

  std::vector<std::int64_t> step_ns;
  for (const Step& step : analysis.cut.steps) step_ns.push_back(step.own_ns);
  // Who profiles chooses the steps, a few, and leaves out the first.
  const bool chosen = !timeline.info.trace_file.empty() && step_ns.size() < kFewSteps;
  if (!chosen) {
    analysis.warm_up = find_warm_up(
        step_ns, turn_length(process, analysis.cut),
        outside_load(timeline, [&steps = analysis.cut.steps](std::size_t first, std::size_t last) {
          return TimeWindow{steps[first].begin_ns, steps[last - 1].end_ns};
        }));
  }
  measure_whole_run(analysis, timeline, events, said);
  sum_steady(analysis);
  sum_device_phases(analysis, process);
  if (timeline.info.trace_file.empty()) {
    analysis.waits = measure_phase_waits(process, analysis.lane, analysis.steady_window(),
                                         analysis.cut.intervals);
  }
  add_traces(analysis, timeline, lane);
  read_facts(analysis, said);
  add_devices(analysis, timeline, step_ns);
  analysis.ranks = measure_ranks(timeline, analysis.steady_window(), analysis.distributed);
  analysis.epoch_starts = measure_epoch_starts(analysis.cut, analysis.steady_window());
  analysis.epochs = find_epochs(analysis.cut, training_iterators(process, analysis.cut));
  analysis.host_memory = measure_host_memory(timeline, analysis.steady_window());
  analysis.loader = measure_loader(timeline, process, analysis.cut, analysis.steady());
  analysis.background_draw_share =
      background_draw_share(process, lane->lane, analysis.steady_window());
  analysis.contention =
      measure_contention(timeline, lane->pid, lane->is_main_thread, analysis.steady_window());
  analysis.compute_cores = compute_cores(analysis);
  return analysis;
}

}  // namespace flatout::analyse
