// Generated from schema/facts.toml by tools/gen_schema.py. Do not edit.
// clang-format off
// What a process said of itself (run/facts.h), as types. A field that was not said, or not as it
// should be, is absent: an empty optional, list or text, or 0 of an id. Long, since it is a table:
// one struct a fact of the schema.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/event.h"

namespace flatout::run {

// A field as it was written; those of objects within are called "args.steps".
struct StatedField {
  std::string name;
  std::string json;
  friend bool operator==(const StatedField&, const StatedField&) = default;
};

// What the program runs on.
struct EnvironmentFact {
  std::int64_t t_ns = 0;
  std::string torch;
  std::string python;
  std::string cuda;
  std::string device;
  std::optional<int> intraop_threads;
  std::vector<StatedField> stated;
  friend bool operator==(const EnvironmentFact&, const EnvironmentFact&) = default;
};

// Wall time of the main thread's imports until torch was first used.
struct ImportsFact {
  std::int64_t t_ns = 0;
  std::optional<double> seconds;
  friend bool operator==(const ImportsFact&, const ImportsFact&) = default;
};

// A DataLoader. Written again at 1, 2, 4, ... batches that Python fetched, after each epoch
// that had one and at the end of the process.
struct LoaderFact {
  std::int64_t t_ns = 0;
  std::uint32_t loader = 0;
  std::optional<int> num_workers;
  std::optional<int> prefetch_factor;
  std::optional<bool> pin_memory;
  std::optional<bool> persistent_workers;
  // an IterableDataset, which every worker reads as a whole
  std::optional<bool> iterable;
  std::optional<double> batch_size;
  std::optional<double> dataset_len;
  // that this process fetches in an epoch, where a sampler of PyTorch holds the number; absent
  // = the dataset, divided among the ranks
  std::optional<double> epoch_samples;
  // class name
  std::string dataset;
  // "native" where the loading engine makes its batches (its workers are then none); "" = torch
  std::string engine;
  // what that engine keeps of the samples in memory: "encoded", "decoded"; "" = nothing
  std::string cache;
  // so far, that this engine could not make and Python fetched
  std::optional<std::int64_t> fetched_batches;
  // why the first of them
  std::string fetched_reason;
  // why the engine cannot make its batches, one clause; "" = it can; of pictures in folders,
  // tar shards and Hugging Face datasets alone
  std::optional<std::string> native_refusal;
  // file:line
  std::string built_at;
  // what calls DataLoader there, where the program itself does not: a library, or a class of
  // its own
  std::string built_by;
  // it was built with one, so that batch_size is no argument of it
  std::optional<bool> batch_sampler;
  std::vector<StatedField> stated;
  friend bool operator==(const LoaderFact&, const LoaderFact&) = default;
};

// Some of the files that a loader's samples are read from, evenly over all, for measuring the
// loading engine on them. Written with its first iterator, of the first 8 loaders.
struct LoaderFilesFact {
  std::int64_t t_ns = 0;
  std::uint32_t loader = 0;
  std::string folder;
  std::vector<std::string> files;
  // as flatout_loader_open takes it, of a loader with a native form; absent where the dataset
  // is a class of the program that holds a list of picture files
  std::string spec;
  // of samples that are parts of files: number of the file, first byte, bytes
  std::vector<std::array<std::int64_t, 3>> places;
  // instead of files, why none are named
  std::string why_not;
  friend bool operator==(const LoaderFilesFact&, const LoaderFilesFact&) = default;
};

// How fast the loading engine makes samples of the files of loader_files of that process.
// Written by the recorder once the program has ended.
struct EngineSpeedFact {
  std::int64_t t_ns = 0;
  std::optional<int> pid;
  std::uint32_t loader = 0;
  std::optional<double> samples_per_s;
  std::optional<int> threads;
  // of CPU time a sample
  std::optional<double> cpu_ms;
  std::optional<double> seconds;
  std::optional<double> files;
  // height and width to which it cropped the pictures at random, where no native form says what
  // the loader does
  std::vector<std::int64_t> size;
  // why it was not measured
  std::string skipped;
  friend bool operator==(const EngineSpeedFact&, const EngineSpeedFact&) = default;
};

// Counters of the loading engine (flatout_loader_stats), over all its threads, since that
// loader's engine was opened. Written now and then while batches are fetched, and when an epoch
// or the process ends: by the hooks of a DataLoader's engine, by libflatout_data itself of any
// other loader, whose numbers begin at 2^16.
struct EngineFact {
  std::int64_t t_ns = 0;
  std::uint32_t loader = 0;
  std::optional<int> threads;
  std::optional<int> ahead;
  std::optional<double> read_busy_ns;
  std::optional<double> read_blocked_ns;
  std::optional<double> decode_busy_ns;
  std::optional<double> decode_blocked_ns;
  std::optional<double> transform_busy_ns;
  std::optional<double> transform_blocked_ns;
  std::optional<double> mix_busy_ns;
  std::optional<double> mix_blocked_ns;
  std::optional<double> idle_full_ns;
  std::optional<double> idle_starved_ns;
  std::optional<double> idle_unasked_ns;
  std::optional<double> consumer_wait_ns;
  friend bool operator==(const EngineFact&, const EngineFact&) = default;
};

// An iterator of a loader. Written at the end of iter_build.
struct IteratorFact {
  std::int64_t t_ns = 0;
  std::uint32_t iterator = 0;
  std::uint32_t loader = 0;
  // index = worker id
  std::vector<std::int64_t> worker_pids;
  friend bool operator==(const IteratorFact&, const IteratorFact&) = default;
};

// The first root module that runs forward with gradients.
struct ModelFact {
  std::int64_t t_ns = 0;
  std::string class_name;
  // how a Hugging Face model computes it: "eager", "sdpa"; "" = not such a model
  std::string attention;
  // "cpu", "cuda:0"
  std::string device;
  // by torch.compile, all of it or a part
  std::optional<bool> compiled;
  // it holds a Conv2d
  std::optional<bool> conv2d;
  std::optional<double> parameters;
  // parameters of each type
  std::map<std::string, double> dtypes;
  // shape of a batch of pictures that it was given
  std::vector<std::int64_t> input;
  std::vector<StatedField> stated;
  friend bool operator==(const ModelFact&, const ModelFact&) = default;
};

// An optimizer. fused and foreach as the step resolves them (torch's default included), absent
// of optimizers without such a choice.
struct OptimizerFact {
  std::int64_t t_ns = 0;
  std::string class_name;
  // file:line
  std::string built_at;
  std::optional<bool> fused;
  std::optional<bool> foreach;
  // parameters over all groups
  std::optional<int> tensors;
  std::vector<StatedField> stated;
  friend bool operator==(const OptimizerFact&, const OptimizerFact&) = default;
};

// Written by a loader worker.
struct WorkerFact {
  std::int64_t t_ns = 0;
  std::optional<int> worker_id;
  friend bool operator==(const WorkerFact&, const WorkerFact&) = default;
};

// As in the first forward with gradients. Written again when it changes (looked at once an
// epoch, and every 256 forwards).
struct PrecisionFact {
  std::int64_t t_ns = 0;
  // "bfloat16", "float16", "off"
  std::string autocast;
  std::optional<bool> tf32_matmul;
  std::optional<bool> tf32_cudnn;
  // "highest", "high", "medium"
  std::string matmul_precision;
  std::vector<StatedField> stated;
  friend bool operator==(const PrecisionFact&, const PrecisionFact&) = default;
};

// A framework whose loop runs; args are those that a knob of flatout could set.
struct FrameworkFact {
  std::int64_t t_ns = 0;
  // updates of the whole training; absent: nothing bounds them
  std::optional<std::int64_t> steps;
  // batches to an update, of transformers
  std::optional<int> gradient_accumulation_steps;
  // the same of Lightning
  std::optional<int> accumulate_grad_batches;
  std::vector<StatedField> stated;
  friend bool operator==(const FrameworkFact&, const FrameworkFact&) = default;
};

// Its place among processes that train together.
struct RankFact {
  std::int64_t t_ns = 0;
  int rank = 0;
  int world_size = 1;
  std::vector<StatedField> stated;
  friend bool operator==(const RankFact&, const RankFact&) = default;
};

// A device as torch names it.
struct DeviceFact {
  int index = 0;
  std::string name;
  // as CUDA has it, without the driver's "GPU-"
  std::string uuid;
  std::vector<StatedField> stated;
  friend bool operator==(const DeviceFact&, const DeviceFact&) = default;
};

// The devices that torch sees.
struct DevicesFact {
  std::int64_t t_ns = 0;
  std::vector<DeviceFact> devices;
  friend bool operator==(const DevicesFact&, const DevicesFact&) = default;
};

// A place that copies between host and device.
struct CopyFact {
  std::int64_t t_ns = 0;
  std::string phase;
  // file:line
  std::string at;
  bool pinned = false;
  double bytes = 0;
  friend bool operator==(const CopyFact&, const CopyFact&) = default;
};

// A place in the program that waits for its device; spans of sync and h2d carry its number. at
// is the innermost line of the program's own code; by is the library's line that called, where
// one did. Written when the place is met, of the first 256.
struct WaitSiteFact {
  std::int64_t t_ns = 0;
  std::uint32_t site = 0;
  // method or function that waits
  std::string call;
  // file:line
  std::string at;
  // module:line
  std::string by;
  friend bool operator==(const WaitSiteFact&, const WaitSiteFact&) = default;
};

// The program marks phases through flatout.h.
struct MarksFact {
  std::int64_t t_ns = 0;
  std::string version;
  friend bool operator==(const MarksFact&, const MarksFact&) = default;
};

// What DistributedDataParallel measured itself, on the device, of the backward of one
// iteration. Written at looks and at the end, once an iteration that it measured.
struct DdpFact {
  std::int64_t t_ns = 0;
  int iteration = 0;
  // for communication that no computation overlapped
  double waited_ns = 0;
  friend bool operator==(const DdpFact&, const DdpFact&) = default;
};

// So many boundaries of phases and copies were not timed on the device so far, because a CUDA
// graph was being captured. Written after a capture; absent without a loss.
struct CapturesFact {
  std::int64_t t_ns = 0;
  std::int64_t boundaries = 0;
  std::int64_t copies = 0;
  friend bool operator==(const CapturesFact&, const CapturesFact&) = default;
};

// What became of a knob of the plan that this process runs under. Written again when it
// changes.
struct KnobFact {
  std::int64_t t_ns = 0;
  std::string knob;
  bool applied = false;
  // the program's own value
  std::string from;
  // why it could not be set, one sentence
  std::string reason;
  // what else it changed, one clause
  std::string effect;
  // the largest number that it could be set to, where only its size was the reason
  std::optional<std::int64_t> most;
  friend bool operator==(const KnobFact&, const KnobFact&) = default;
};

// A variable that the program offers as a knob (flatout_knob_int), with its own value. Its id
// is run::kProgramKnob and the name.
struct DeclaredKnobFact {
  std::int64_t t_ns = 0;
  std::string name;
  std::int64_t value = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  friend bool operator==(const DeclaredKnobFact&, const DeclaredKnobFact&) = default;
};

// In a trial, whether fetching and collating change random state that lies in the training
// process (torch's CPU generator, random, numpy, generators that the dataset holds), seen at
// the first fetches of a loader without workers. Written again when one does.
struct DrawsFact {
  std::int64_t t_ns = 0;
  int loader = 0;
  bool fetch_draws = false;
  friend bool operator==(const DrawsFact&, const DrawsFact&) = default;
};

// In a trial, a hash of the indices that the sampler gave for the first 1, 2, 4, 8, 16 and 32
// batches of a loader that trains, one fact each, as far as it came. With workers more are
// drawn ahead than are used: runs are compared at the most batches that both have written.
// Absent for an IterableDataset.
struct IndicesFact {
  std::int64_t t_ns = 0;
  int loader = 0;
  int batches = 0;
  std::string hash;
  friend bool operator==(const IndicesFact&, const IndicesFact&) = default;
};

// In a trial, beside indices from 8 batches on, what the first so many batches held whatever
// their order. Absent with more than 65536 samples.
struct SamplesFact {
  std::int64_t t_ns = 0;
  int loader = 0;
  int batches = 0;
  double samples = 0;
  // of them, that came before
  double repeats = 0;
  // a hash of all
  std::string together;
  // of whole numbers: how often one is larger than the one before
  double rising = 0;
  // and larger by one
  double successors = 0;
  // the values at each sixteenth of the sorted ones
  std::vector<double> quantiles;
  // how many have each remainder by 16
  std::vector<double> rests;
  // these are the whole first epoch, written when the next one begins
  bool ended = false;
  friend bool operator==(const SamplesFact&, const SamplesFact&) = default;
};

// In a trial, the most memory that the process held so far; written after updates 1, 2, 4, ...
// and at the trial's last. Of the device: what torch's allocator handed out, held, and could
// hold at most.
struct MemoryFact {
  std::int64_t t_ns = 0;
  std::optional<std::int64_t> host_peak_bytes;
  std::optional<std::int64_t> host_data_bytes;
  std::optional<std::int64_t> device_peak_bytes;
  std::optional<std::int64_t> device_reserved_peak_bytes;
  std::optional<std::int64_t> device_limit_bytes;
  friend bool operator==(const MemoryFact&, const MemoryFact&) = default;
};

// Of a trial, written by its recorder before it starts and when it has ended: the memory that
// was to be had, and the processes of this cgroup that the kernel has killed for want of memory
// so far.
struct HostMemoryFact {
  std::int64_t t_ns = 0;
  std::optional<std::int64_t> room_bytes;
  std::optional<std::int64_t> oom_kills;
  friend bool operator==(const HostMemoryFact&, const HostMemoryFact&) = default;
};

// The exception that nobody caught, written when the interpreter ends. message is absent where
// asking for it would run the program's code.
struct FailureFact {
  std::int64_t t_ns = 0;
  std::string type;
  std::string message;
  // file:line
  std::string at;
  friend bool operator==(const FailureFact&, const FailureFact&) = default;
};

// The run was ended by its --stop-after; written by the recorder.
struct StoppedFact {
  std::int64_t t_ns = 0;
  std::optional<std::int64_t> steps;
  friend bool operator==(const StoppedFact&, const StoppedFact&) = default;
};

// A setting that was switched on inside the training.
struct TunedSettingFact {
  std::string knob;
  // the program's own
  std::string from;
  std::string to;
  std::optional<double> speedup;
  std::optional<double> lo;
  std::optional<double> hi;
  friend bool operator==(const TunedSettingFact&, const TunedSettingFact&) = default;
};

// Settings were tried inside the training (run --tune); written by the recorder. seconds: of
// the search; lost_s: by which its steps took longer than they would have without it.
struct TunedFact {
  std::int64_t t_ns = 0;
  double seconds = 0;
  std::optional<double> lost_s;
  std::optional<int> tried;
  // why the search ended before all was tried
  std::string cut_by;
  // what promised a gain and was not tried, each with the reason
  std::vector<std::string> left_out;
  std::vector<TunedSettingFact> kept;
  friend bool operator==(const TunedFact&, const TunedFact&) = default;
};

// Of a run that was asked for a kernel trace: what became of it in this process. Written when
// it changes; why is absent where it is on, mode in runs that were recorded before it was said.
struct TraceFact {
  std::int64_t t_ns = 0;
  std::string mode;
  std::string cupti;
  std::string state;
  std::string why;
  friend bool operator==(const TraceFact&, const TraceFact&) = default;
};

// One clear line for the user, written at most once a problem.
struct ProblemFact {
  std::int64_t t_ns = 0;
  std::string problem;
  friend bool operator==(const ProblemFact&, const ProblemFact&) = default;
};

// A tracked run: what one init() opened. Written whole again when it changes; the latest
// counts. Those of one source and id in several processes or recordings are one.
struct TrackRunFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::string source;
  std::string id;
  std::string project;
  std::string entity;
  std::string name;
  std::string group;
  std::string job_type;
  std::vector<std::string> tags;
  std::string notes;
  // under which this process's monitoring stands
  std::string name_space;
  std::string mode;
  bool resumed = false;
  // "fork": begins with the history of the run `from`; "rewind": goes on after from_step of its
  // own, and what came after it no longer counts; "" = neither
  std::string branch;
  std::string from;
  // the last one that counts; absent = all
  std::optional<std::int64_t> from_step;
  friend bool operator==(const TrackRunFact&, const TrackRunFact&) = default;
};

// Written by the recorder: what it copied of the history that a track_run's branch asks for, as
// values and rows of that track with times before its begin.
struct TrackHistoryFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::int64_t values = 0;
  std::int64_t rows = 0;
  // from which it came, the oldest first
  std::vector<std::string> recordings;
  // why some or all of it is missing
  std::string problem;
  friend bool operator==(const TrackHistoryFact&, const TrackHistoryFact&) = default;
};

// Changes of a tracked run's config: objects are merged, all else is replaced; remove comes
// first.
struct TrackConfigFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::string set;
  std::vector<std::string> remove;
  std::string in_file;
  friend bool operator==(const TrackConfigFact&, const TrackConfigFact&) = default;
};

// What the script set itself in a tracked run's summary.
struct TrackSummaryFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::string set;
  std::string in_file;
  friend bool operator==(const TrackSummaryFact&, const TrackSummaryFact&) = default;
};

// How a tracked run's metrics of this name, which may hold * and ?, are shown and summed up. Of
// several that fit, the exact name counts before globs, and the latest before earlier ones.
struct TrackMetricFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::string name;
  std::string step_metric;
  bool step_sync = false;
  bool hidden = false;
  // "min", "max", "mean", "last", "first", "best", "none", or several with commas
  std::string summary;
  // "minimize", "maximize"
  std::string goal;
  friend bool operator==(const TrackMetricFact&, const TrackMetricFact&) = default;
};

// What one log() held beside numbers: text, and media as objects with a _type.
struct TrackRowFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::optional<std::int64_t> step;
  std::string data;
  std::string in_file;
  friend bool operator==(const TrackRowFact&, const TrackRowFact&) = default;
};

// An alert that the script raised.
struct TrackAlertFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::string title;
  std::string text;
  std::string level;
  friend bool operator==(const TrackAlertFact&, const TrackAlertFact&) = default;
};

// A file that was kept with a tracked run: its name in the script's terms, and that under
// files/ in the run's folder.
struct TrackFileFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::string path;
  std::string file;
  std::optional<std::int64_t> bytes;
  std::string kind;
  std::string artifact;
  friend bool operator==(const TrackFileFact&, const TrackFileFact&) = default;
};

// The script called finish() of a tracked run.
struct TrackEndFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::optional<std::int64_t> exit_code;
  friend bool operator==(const TrackEndFact&, const TrackEndFact&) = default;
};

// So much that was logged was not kept, all together so far: the ring was full, or a file could
// not be written. Absent without a loss.
struct TrackLossFact {
  std::int64_t t_ns = 0;
  int track = 0;
  std::int64_t values = 0;
  std::int64_t facts = 0;
  friend bool operator==(const TrackLossFact&, const TrackLossFact&) = default;
};

// The last tracked run of this process was finished. Where flatout recorded the process because
// init() asked for it, the recording ends.
struct TrackCloseFact {
  std::int64_t t_ns = 0;
  std::int64_t exit_code = 0;
  friend bool operator==(const TrackCloseFact&, const TrackCloseFact&) = default;
};

// All of one process, in the order in which it said them.
struct Observed {
  std::vector<EnvironmentFact> environments;
  std::vector<ImportsFact> imports;
  std::vector<LoaderFact> loaders;
  std::vector<LoaderFilesFact> loader_files;
  std::vector<EngineSpeedFact> engine_speeds;
  std::vector<EngineFact> engines;
  std::vector<IteratorFact> iterators;
  std::vector<ModelFact> models;
  std::vector<OptimizerFact> optimizers;
  std::vector<WorkerFact> workers;
  std::vector<PrecisionFact> precisions;
  std::vector<FrameworkFact> frameworks;
  std::vector<RankFact> ranks;
  std::vector<DevicesFact> devices;
  std::vector<CopyFact> copies;
  std::vector<WaitSiteFact> wait_sites;
  std::vector<MarksFact> marks;
  std::vector<DdpFact> ddp;
  std::vector<CapturesFact> captures;
  std::vector<KnobFact> knobs;
  std::vector<DeclaredKnobFact> declared_knobs;
  std::vector<DrawsFact> draws;
  std::vector<IndicesFact> indices;
  std::vector<SamplesFact> samples;
  std::vector<MemoryFact> memories;
  std::vector<HostMemoryFact> host_memories;
  std::vector<FailureFact> failures;
  std::vector<StoppedFact> stopped;
  std::vector<TunedFact> tuned;
  std::vector<TraceFact> traces;
  std::vector<ProblemFact> problems;
  std::vector<TrackRunFact> track_runs;
  std::vector<TrackHistoryFact> track_histories;
  std::vector<TrackConfigFact> track_configs;
  std::vector<TrackSummaryFact> track_summaries;
  std::vector<TrackMetricFact> track_metrics;
  std::vector<TrackRowFact> track_rows;
  std::vector<TrackAlertFact> track_alerts;
  std::vector<TrackFileFact> track_files;
  std::vector<TrackEndFact> track_ends;
  std::vector<TrackLossFact> track_losses;
  std::vector<TrackCloseFact> track_closes;
  friend bool operator==(const Observed&, const Observed&) = default;
};

// Absent where `json` is no object, or lacks what makes it say anything.
template <typename T>
std::optional<T> decode(std::string_view json);
template <>
std::optional<EnvironmentFact> decode(std::string_view json);
template <>
std::optional<ImportsFact> decode(std::string_view json);
template <>
std::optional<LoaderFact> decode(std::string_view json);
template <>
std::optional<LoaderFilesFact> decode(std::string_view json);
template <>
std::optional<EngineSpeedFact> decode(std::string_view json);
template <>
std::optional<EngineFact> decode(std::string_view json);
template <>
std::optional<IteratorFact> decode(std::string_view json);
template <>
std::optional<ModelFact> decode(std::string_view json);
template <>
std::optional<OptimizerFact> decode(std::string_view json);
template <>
std::optional<WorkerFact> decode(std::string_view json);
template <>
std::optional<PrecisionFact> decode(std::string_view json);
template <>
std::optional<FrameworkFact> decode(std::string_view json);
template <>
std::optional<RankFact> decode(std::string_view json);
template <>
std::optional<DevicesFact> decode(std::string_view json);
template <>
std::optional<CopyFact> decode(std::string_view json);
template <>
std::optional<WaitSiteFact> decode(std::string_view json);
template <>
std::optional<MarksFact> decode(std::string_view json);
template <>
std::optional<DdpFact> decode(std::string_view json);
template <>
std::optional<CapturesFact> decode(std::string_view json);
template <>
std::optional<KnobFact> decode(std::string_view json);
template <>
std::optional<DeclaredKnobFact> decode(std::string_view json);
template <>
std::optional<DrawsFact> decode(std::string_view json);
template <>
std::optional<IndicesFact> decode(std::string_view json);
template <>
std::optional<SamplesFact> decode(std::string_view json);
template <>
std::optional<MemoryFact> decode(std::string_view json);
template <>
std::optional<HostMemoryFact> decode(std::string_view json);
template <>
std::optional<FailureFact> decode(std::string_view json);
template <>
std::optional<StoppedFact> decode(std::string_view json);
template <>
std::optional<TunedFact> decode(std::string_view json);
template <>
std::optional<TraceFact> decode(std::string_view json);
template <>
std::optional<ProblemFact> decode(std::string_view json);
template <>
std::optional<TrackRunFact> decode(std::string_view json);
template <>
std::optional<TrackHistoryFact> decode(std::string_view json);
template <>
std::optional<TrackConfigFact> decode(std::string_view json);
template <>
std::optional<TrackSummaryFact> decode(std::string_view json);
template <>
std::optional<TrackMetricFact> decode(std::string_view json);
template <>
std::optional<TrackRowFact> decode(std::string_view json);
template <>
std::optional<TrackAlertFact> decode(std::string_view json);
template <>
std::optional<TrackFileFact> decode(std::string_view json);
template <>
std::optional<TrackEndFact> decode(std::string_view json);
template <>
std::optional<TrackLossFact> decode(std::string_view json);
template <>
std::optional<TrackCloseFact> decode(std::string_view json);

// Adds what `fact` says; nothing where its key is unknown or decode() has nothing.
void observe(const Fact& fact, Observed& to);

}  // namespace flatout::run
