// The Report: verdict, steps, devices, host, loader, findings. One struct;
// text and JSON are views of it (schema/report.schema.json). An absent field
// is one that could not be measured. Shares and confidence are 0 to 1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/device.h"
#include "run/engine_speed.h"
#include "run/engine_work.h"
#include "run/finding.h"
#include "run/kernel_report.h"
#include "run/observed.h"
#include "run/plan.h"
#include "run/predictor.h"
#include "run/rank_comparison.h"
#include "run/run.h"
#include "run/tracked.h"

namespace flatout::run {

struct Verdict {
  std::string finding;  // id, or "unexplained", "no_steps", "failed"
  Cause cause = Cause::kNone;
  std::string summary;
  double confidence = 0;
  std::string tier = {};  // of its finding
  std::vector<std::string> ruled_out = {};
  std::optional<double> rests_on_share = {};  // of the run's time: its steady steps
  // Why to trust it less: more than 20 % of the run is warm-up. "" = no reason. Where there are
  // steps enough it stands among the report's notes, too.
  std::string caution = {};
  // The same of what others took of the machine, who are named. Stands among the notes, too.
  std::string loaded = {};
};

// Where the whole run went, seconds of the step process; the parts sum to `total_s`.
struct RunAccount {
  double total_s = 0;
  double startup_s = 0;     // until the first step
  double warm_up_s = 0;     // steps before the steady ones
  double steps_s = 0;       // the steady ones
  double eval_s = 0;        // after the first step
  double checkpoint_s = 0;  // in any step
  double epoch_gap_s = 0;
  double end_s = 0;  // after the last step
};

// Why the program ended otherwise than it should, where it failed or a signal that nobody sends by
// hand ended it.
struct FailureReport {
  std::string error, message, at;           // of the exception that nobody caught; "" = not seen
  std::optional<int> rank;                  // whose it was
  std::optional<std::int64_t> after_steps;  // absent where steps could not be seen
};

struct StepsReport {
  std::int64_t count = 0;
  std::int64_t steady_count = 0;
  std::optional<double> median_ms, p95_ms, mean_ms;
  std::optional<double> batch_size;  // samples per step, mean over steady steps
  std::optional<double> samples_per_s;
  std::optional<double> device_busy;
  std::map<std::string, double> phases;  // share of steady step time
  std::map<std::string, double> phases_device;
  std::map<std::string, std::string> phases_unavailable;  // phase -> reason
  // Where the steady ones wait for the device, most time first; idle_ms is absent.
  std::vector<WaitReport> waits = {};
  std::optional<double> startup_s, eval_s, epoch_gap_s;
  std::string kind = "train";
  // "kernels": from the repeating sequence of them; "ranges": of the program; "" = marked
  std::string source = {};
  std::optional<std::size_t> activities = {};  // of a device that make a step, of this source
};

struct Utilization {
  std::string source;  // "phases", "nvml", ...
  double mean = 0;
  std::optional<double> p10, p50, p90;
  std::string pattern;  // "flat", "sawtooth", "" = not resolved
  std::optional<double> period_ms, duty;
};

// Shares of time in which something held the clocks down.
struct ThrottledReport {
  std::optional<double> power, thermal, other;
};

// The best that was seen in the steady steps: links fall back while idle.
struct PcieReport {
  std::optional<int> generation, width;
};

// What the device's own counters say, means, 0 to 1.
struct ActivityReport {
  std::optional<double> sm, tensor, dram, occupancy;
};

// Processes on the device that are not of this run.
struct OthersReport {
  std::optional<int> processes;                   // most at one time
  std::optional<std::int64_t> memory_used_bytes;  // peak
  std::optional<double> utilization;              // mean
};

// Means and shares are over the steady steps, peaks over the run. Of the CPU only its name is
// known; power_limit_w is the limit's mean where it was sampled.
struct DeviceReport : Device {
  std::string kind;  // "cuda" or "cpu"
  std::optional<Utilization> utilization = {};
  std::optional<bool> used = {};  // by this run; empty = cannot be known
  std::optional<std::int64_t> memory_used_bytes = {};
  std::optional<double> power_w = {};
  std::optional<double> temperature_c = {};  // the highest
  std::optional<double> sm_clock_mhz = {};
  ThrottledReport throttled = {};
  PcieReport pcie = {};
  ActivityReport activity = {};
  OthersReport others = {};
  std::optional<AllocatorReport> allocator = {};  // sampled; what a trace has of it is in that
  std::optional<KernelTraceReport> trace = {};    // of a kernel trace
  // The same of what was traced of the steady steps; of runs, where that is two steps or more.
  std::optional<KernelTraceReport> trace_in_steps = {};
  // What texts show: a run's start-up is no question of its steps.
  const KernelTraceReport* shown_trace() const {
    if (trace_in_steps) return &*trace_in_steps;
    return trace ? &*trace : nullptr;
  }
};

struct HostReport {
  int cpus = 0;
  std::optional<int> intraop_threads;  // of torch in the step process
  std::optional<double> cpu_mean;      // cores in use by the run's processes, mean
  // Cores of those that the run may use, in use by other programs in the steady steps, mean.
  std::optional<double> others_cpu_mean = {};
  std::optional<std::int64_t> memory_peak_bytes;
  std::optional<std::int64_t> memory_limit_bytes;
  std::optional<int> processes;  // of the run, that were ever seen
};

// What the program stated of its model, for the knobs; not shown.
struct ModelReport {
  std::optional<bool> compiled;         // by torch.compile, all of it or a part
  std::optional<bool> conv2d;           // it holds a Conv2d
  std::string autocast;                 // "off", "bfloat16", "float16"; "" = not known
  std::string attention;                // of a Hugging Face model: "eager", "sdpa"; "" = not known
  std::optional<int> accumulated = {};  // batches to an update, that a framework was given
};

struct StageShare {
  std::string name;
  double share = 0;
};

// The training loader: what the program stated of it, and what its batches cost.
struct LoaderReport : LoaderFact {
  int workers = 0;
  std::optional<EngineWork> engine_work = {};  // of the loading engine, where it told
  std::optional<std::int64_t> epochs = {};  // that training began; absent where none was reported
  std::string files_folder = {};  // that holds the files of its samples; "" = not known; not shown
  std::optional<EngineMeasurement> engine_measured = {};  // of that engine, beside torch's batches
  std::optional<double> sample_ms = {};          // wall per sample in one worker, collate included
  std::optional<double> sample_cpu_share = {};   // CPU time over wall
  std::vector<StageShare> stages = {};           // largest first; sums to 1; "other" last
  std::optional<double> max_samples_per_s = {};  // what this loader could deliver now
};

struct OverheadReport {
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  std::optional<double> recorder_cpu_share;  // of one core
};

// A figure that the program named, such as its loss.
struct ValueReport {
  std::string name;
  std::int64_t count = 0;
  std::optional<double> last;             // absent where it is infinite or no number
  std::optional<std::int64_t> last_step;  // as the program counts
};

// A tracked run, as far as a report shows it; all of it is in `flatout show` and the API.
struct TrackedReport {
  static constexpr std::size_t kMostValues = 8;
  std::string source;
  std::string id;
  std::string project;
  std::string name;
  std::int64_t metrics = 0;  // names
  std::int64_t points = 0;   // of all of them
  std::int64_t texts = 0;    // log() with texts or media
  std::int64_t files = 0;
  std::int64_t alerts = 0;
  std::int64_t lost = 0;                 // logged, but not kept
  std::vector<ValueReport> values = {};  // the first kMostValues by name
  std::optional<TrackedBranch> branch = {};
};

// Settings that were tried while the program ran, of which the ones that gained stayed.
struct LiveTuneReport {
  double seconds = 0;            // of the search
  std::optional<double> lost_s;  // by which its steps took longer than without it
  int tried = 0;
  std::string cut_by;  // why it ended before all was tried, one clause; "" = it did not
  std::vector<std::string> left_out;  // what promised a gain and was not tried, with the reason
  std::vector<PlanEntry> kept;        // with what was measured
};

struct Report {
  RunInfo run;
  RunState state = RunState::kRunning;
  std::optional<RunEnd> end;
  std::vector<pid_t> survivors;  // of a lost run; otherwise they stand in `end`
  double duration_s = 0;
  std::optional<FailureReport> failure = {};
  std::optional<std::int64_t> stopped_after = {};  // steps, by --stop-after
  Verdict verdict;
  std::optional<RunAccount> account = {};  // with steps
  std::optional<StepsReport> steps;        // absent when no step was seen
  std::vector<DeviceReport> devices;
  std::optional<TracingReport> tracing = {};  // of a run that was asked for a kernel trace
  HostReport host;
  std::optional<LoaderReport> loader;
  std::optional<ModelReport> model = {};
  std::optional<RankComparison> ranks = {};  // of traces of several ranks
  std::vector<Finding> findings;             // largest share of the run first
  OverheadReport overhead;
  std::vector<ValueReport> values = {};      // by name
  std::vector<TrackedReport> tracked = {};   // in the order in which they began
  std::vector<std::string> notes;            // lines for the user: hooks lost, data dropped
  std::vector<std::string> rules_off = {};   // ids of rules that were not asked
  std::vector<KnobOutcome> knobs = {};       // of the plan that it ran under
  std::optional<LiveTuneReport> tuned = {};  // of a run that was tuned while it ran
};

}  // namespace flatout::run
