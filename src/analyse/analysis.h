// The measured facts of one run, from which the rules, the what-if model and
// the report are filled. Plain values without a pointer into the Timeline.
// Durations in ns, shares of steady step time unless said otherwise; an
// optional that is empty was not measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyse/account.h"
#include "analyse/contention.h"
#include "analyse/device/device_stats.h"
#include "analyse/epoch_starts.h"
#include "analyse/epochs.h"
#include "analyse/host_memory.h"
#include "analyse/loader_stats.h"
#include "analyse/ranks.h"
#include "analyse/startup_parts.h"
#include "analyse/step_lane.h"
#include "analyse/steps.h"
#include "analyse/warmup.h"
#include "run/observed.h"
#include "run/rank_comparison.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Why there are no steps.
enum class NoSteps : std::uint8_t {
  kNone,          // there are steps
  kHooksOff,      // info.hooks_off says why
  kNoTorch,       // no observed process said anything
  kHooksMissing,  // nobody spoke, and a problem that was reported says why
  kNoMarks,       // a program marks phases, but neither an update nor the end of a step
  kTrace,         // a kernel trace in which nothing trains, or nobody marked it
  kNoUpdate,      // hooks were there, but no optimizer update ended
};

// How busy the device of the steps is, and who says so: "kernels", "nvml", "amdgpu",
// "events".
struct DeviceBusy {
  double share = 0;
  std::string_view tier;
};

struct Analysis {
  std::int64_t start_ns = 0;  // of the run: evidence counts its seconds from here
  int cpus = 0;               // usable: affinity and cgroup quota; 0 = not known
  NoSteps no_steps = NoSteps::kNone;
  // Of steps of which nothing but the times is known (repeating/): what the program calls their
  // ranges, else the activities of a device that make one.
  std::string step_ranges;
  std::optional<std::size_t> repeated_activities;
  bool only_times_known() const { return repeated_activities || !step_ranges.empty(); }

  pid_t pid = 0;           // the process whose steps these are, 0 = none
  std::uint16_t lane = 0;  // its step lane
  Updates updates = Updates::kSeen;
  bool forwards_seen = true;  // false: no module was called (functional or compiled code)
  // The program marks its phases itself (flatout.h) and no hooks see more: what it
  // does not mark cannot be told from `other`.
  bool marks_only = false;
  std::set<run::Phase> phases_seen;  // on the step lane
  bool cuda = false;                 // the model computes on a CUDA device
  bool distributed = false;          // comm spans were seen
  int world_size = 1;                // ranks, as the process group reports it
  std::string main_script;           // "train.py" as in the command, "" = not known
  bool records_dropped = false;      // by full rings: some spans may be missing
  std::vector<std::string> notes;

  StepCut cut;
  WarmUp warm_up;                // how many of cut.steps lead to the steady state
  run::RunAccount account;       // of the whole run
  bool ended_by_itself = false;  // and well; not by --stop-after
  Evaluations evaluations;
  StartupParts startup;

  // Sums over the steady steps.
  std::int64_t steady_own_ns = 0;
  PhaseNs steady_phases{};
  std::int64_t steady_eval_ns = 0;  // intervals inside the steady window
  std::int64_t steady_epoch_gap_ns = 0;
  int steady_epoch_gaps = 0;               // iterators built inside it
  std::optional<double> samples_per_step;  // mean over steady steps
  std::optional<double> usual_samples;     // median: the last step of an epoch has fewer

  // Device time over steady own time, from polled events; empty without CUDA.
  // Time between two events belongs to the phase open between them, so data_wait
  // and other stand for a device that has nothing to do.
  std::vector<std::pair<run::Phase, double>> device_phases;
  // Of kOther's share in it, the device time of replayed CUDA graphs that hold an update.
  double device_replay_share = 0;
  // Of kComm's share in it, what DistributedDataParallel said of its own backwards.
  std::optional<double> device_ddp_share;
  bool replays = false;  // every steady step is such a replay, or has one

  // What the drivers say, by device, and which of them the steps compute on.
  std::vector<DeviceStats> devices;
  std::optional<std::size_t> step_device;
  std::vector<run::WaitReport> waits;  // of the steady steps, without idle_ms
  // The driver counts processes of this run on the devices. It does not where
  // they have other numbers than here, as in many containers.
  bool own_device_processes_known = false;

  // Facts of the step process.
  std::optional<run::EnvironmentFact> environment;
  std::optional<run::PrecisionFact> precision;
  std::optional<run::OptimizerFact> optimizer;
  std::optional<run::ModelFact> model;
  std::optional<run::FrameworkFact> framework;
  std::vector<run::CopyFact> copies;

  // Of a kernel trace, by device. Rules about the steps of a run ask those of its steady steps.
  std::map<int, run::KernelTraceReport> kernel_traces, steady_traces;
  bool foreign_trace = false;  // it is another tool's
  // Of another tool's: the device's time over the steps, by phase.
  std::map<run::Phase, double> traced_phases;

  std::vector<RankSteps> ranks;                    // empty where one process trains
  std::optional<run::RankComparison> rank_traces;  // where several ranks' traces were read
  EpochStarts epoch_starts;
  Epochs epochs;  // of the training loader
  HostMemory host_memory;

  std::optional<LoaderStats> loader;  // of the training loader
  // A thread other than the step thread draws: its share of the steady window inside next.
  std::optional<double> background_draw_share;
  Contention contention;
  // Cores that the step process uses while it is in forward, backward or
  // optimizer: its mean use with the CPU time of data loading and the single
  // thread of all other phases taken off. Absent without samples.
  std::optional<double> compute_cores;

  std::span<const Step> steady() const {
    return std::span<const Step>(cut.steps).subspan(static_cast<std::size_t>(warm_up.dropped));
  }
  TimeWindow steady_window() const;
  double share(run::Phase phase) const;  // of steady own time; 0 without steps
  double compute_share() const;          // forward + backward + optimizer
  bool compute_seen() const;             // any of the three can be seen in this run
  // The same of device time; absent without polled events.
  std::optional<double> device_compute_share() const;
  double traced_phase(run::Phase phase) const;  // of traced_phases; 0 where it has none
  // Of the device that computes most; null without a kernel trace.
  const run::KernelTraceReport* kernel_trace() const;
  const DeviceStats* device() const;  // of the steps; null where no driver told of it
  // On CUDA: from the driver unless others use the device, too; else from the
  // polled events. Absent without either, and without CUDA.
  std::optional<DeviceBusy> device_busy() const;
  // The driver's alone, over steps and the gaps between epochs.
  std::optional<double> device_busy_with_gaps() const;
  double seconds(std::int64_t t_ns) const;  // after the run's start
};

// Pure: same Timeline, same Analysis. Never fails; a Timeline without steps
// gives no_steps.
Analysis measure(const run::Timeline& timeline);

// The step thread's wait for a core, by who had it.
CoreWait core_wait(const Analysis& analysis);

}  // namespace flatout::analyse
