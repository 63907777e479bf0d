// Generated from schema/facts.toml by tools/gen_schema.py. Do not edit.
// clang-format off
// Long, since it is a table: one reader a fact of the schema.
#include "run/observed.h"

#include <utility>

#include "run/fact_fields.h"
#include "run/facts.h"

namespace flatout::run {
namespace {

bool read(const FactFields& from, EnvironmentFact& out) {
  out.torch = from.text("torch");
  out.python = from.text("python");
  out.cuda = from.text("cuda");
  out.device = from.text("device");
  out.intraop_threads = from.count("intraop_threads");
  out.stated = from.stated();
  return true;
}

bool read(const FactFields& from, ImportsFact& out) {
  out.seconds = from.number("seconds");
  return true;
}

bool read(const FactFields& from, LoaderFact& out) {
  out.loader = from.id("loader");
  out.num_workers = from.count("workers");
  out.prefetch_factor = from.count("prefetch_factor");
  out.pin_memory = from.flag("pin_memory");
  out.persistent_workers = from.flag("persistent_workers");
  out.iterable = from.flag("iterable");
  out.batch_size = from.number("batch_size");
  out.dataset_len = from.number("dataset_len");
  out.epoch_samples = from.number("epoch_samples");
  out.dataset = from.text("dataset");
  out.engine = from.text("engine");
  out.cache = from.text("cache");
  out.fetched_batches = from.large("fetched_batches");
  out.fetched_reason = from.text("fetched_reason");
  out.native_refusal = from.optional_text("native_refusal");
  out.built_at = from.text("built_at");
  out.built_by = from.text("built_by");
  out.batch_sampler = from.flag("batch_sampler");
  out.stated = from.stated();
  return true;
}

bool read(const FactFields& from, LoaderFilesFact& out) {
  out.loader = from.id("loader");
  if (out.loader == 0) return false;
  out.folder = from.text("folder");
  out.files = from.texts("files");
  out.spec = from.object("spec");
  if (out.spec.empty() && from.has("spec")) return false;
  out.places = from.rows<3>("places");
  if (out.places.empty() && from.has("places")) return false;
  out.why_not = from.text("why_not");
  return true;
}

bool read(const FactFields& from, EngineSpeedFact& out) {
  out.pid = from.count("pid");
  out.loader = from.id("loader");
  out.samples_per_s = from.number("samples_per_s", Numbers{.least = 0, .most = 1000000000.0});
  out.threads = from.count("threads", Wholes{.least = 1, .most = 65536});
  out.cpu_ms = from.number("cpu_ms", Numbers{.least = 0, .most = 1000000000.0});
  out.seconds = from.number("seconds", Numbers{.least = 0, .most = 1000000.0});
  out.files = from.number("files", Numbers{.least = 0, .most = 1024});
  out.size = from.wholes("size");
  out.skipped = from.text("skipped");
  return true;
}

bool read(const FactFields& from, EngineFact& out) {
  out.loader = from.id("loader");
  if (out.loader == 0) return false;
  out.threads = from.count("threads", Wholes{.most = 1048576});
  out.ahead = from.count("ahead", Wholes{.most = 1048576});
  out.read_busy_ns = from.number("read_busy_ns", Numbers{.least = 0});
  out.read_blocked_ns = from.number("read_blocked_ns", Numbers{.least = 0});
  out.decode_busy_ns = from.number("decode_busy_ns", Numbers{.least = 0});
  out.decode_blocked_ns = from.number("decode_blocked_ns", Numbers{.least = 0});
  out.transform_busy_ns = from.number("transform_busy_ns", Numbers{.least = 0});
  out.transform_blocked_ns = from.number("transform_blocked_ns", Numbers{.least = 0});
  out.mix_busy_ns = from.number("mix_busy_ns", Numbers{.least = 0});
  out.mix_blocked_ns = from.number("mix_blocked_ns", Numbers{.least = 0});
  out.idle_full_ns = from.number("idle_full_ns", Numbers{.least = 0});
  out.idle_starved_ns = from.number("idle_starved_ns", Numbers{.least = 0});
  out.idle_unasked_ns = from.number("idle_unasked_ns", Numbers{.least = 0});
  out.consumer_wait_ns = from.number("consumer_wait_ns", Numbers{.least = 0});
  return true;
}

bool read(const FactFields& from, IteratorFact& out) {
  out.iterator = from.id("iterator");
  out.loader = from.id("loader");
  out.worker_pids = from.wholes("worker_pids", Wholes{.least = 0, .most = 2147483647});
  return true;
}

bool read(const FactFields& from, ModelFact& out) {
  out.class_name = from.text("class");
  out.attention = from.text("attention");
  out.device = from.text("device");
  out.compiled = from.flag("compiled");
  out.conv2d = from.flag("conv2d");
  out.parameters = from.number("parameters");
  out.dtypes = from.by_name("dtypes");
  out.input = from.wholes("input");
  out.stated = from.stated();
  return true;
}

bool read(const FactFields& from, OptimizerFact& out) {
  out.class_name = from.text("class");
  out.built_at = from.text("built_at");
  out.fused = from.flag("fused");
  out.foreach = from.flag("foreach");
  out.tensors = from.count("tensors");
  out.stated = from.stated();
  return true;
}

bool read(const FactFields& from, WorkerFact& out) {
  out.worker_id = from.count("worker_id");
  return true;
}

bool read(const FactFields& from, PrecisionFact& out) {
  out.autocast = from.text("autocast");
  out.tf32_matmul = from.flag("tf32_matmul");
  out.tf32_cudnn = from.flag("tf32_cudnn");
  out.matmul_precision = from.text("float32_matmul_precision");
  out.stated = from.stated();
  return true;
}

bool read(const FactFields& from, FrameworkFact& out) {
  out.steps = from.large("steps");
  out.gradient_accumulation_steps = from.within("args").count("gradient_accumulation_steps");
  out.accumulate_grad_batches = from.within("args").count("accumulate_grad_batches");
  out.stated = from.stated();
  return true;
}

bool read(const FactFields& from, RankFact& out) {
  if (const auto value = from.count("rank")) {
    out.rank = *value;
  } else {
    return false;
  }
  out.world_size = from.count("world_size").value_or(1);
  out.stated = from.stated();
  return true;
}

bool read(const FactFields& from, DeviceFact& out) {
  out.index = from.count("index").value_or(0);
  out.name = from.text("name");
  out.uuid = from.text("uuid");
  out.stated = from.stated();
  return true;
}

bool read(const FactFields& from, DevicesFact& out) {
  for (const FactFields& one : from.objects("devices")) {
    if (DeviceFact item; read(one, item)) out.devices.push_back(std::move(item));
  }
  return true;
}

bool read(const FactFields& from, CopyFact& out) {
  out.phase = from.text("phase");
  out.at = from.text("at");
  if (const auto value = from.flag("pinned")) {
    out.pinned = *value;
  } else {
    return false;
  }
  out.bytes = from.number("bytes").value_or(0);
  return true;
}

bool read(const FactFields& from, WaitSiteFact& out) {
  out.site = from.id("site");
  if (out.site == 0) return false;
  out.call = from.text("call");
  out.at = from.text("at");
  out.by = from.text("by");
  return true;
}

bool read(const FactFields& from, MarksFact& out) {
  out.version = from.text("version");
  return true;
}

bool read(const FactFields& from, DdpFact& out) {
  if (const auto value = from.count("iteration")) {
    out.iteration = *value;
  } else {
    return false;
  }
  if (const auto value = from.number("waited_ns", Numbers{.least = 0})) {
    out.waited_ns = *value;
  } else {
    return false;
  }
  return true;
}

bool read(const FactFields& from, CapturesFact& out) {
  out.boundaries = from.large("boundaries").value_or(0);
  out.copies = from.large("copies").value_or(0);
  return true;
}

bool read(const FactFields& from, KnobFact& out) {
  out.knob = from.text("knob");
  if (out.knob.empty()) return false;
  out.applied = from.flag("applied").value_or(false);
  out.from = from.literal("from");
  out.reason = from.text("reason");
  out.effect = from.text("effect");
  out.most = from.large("most", Wholes{.most = 1073741824});
  return true;
}

bool read(const FactFields& from, DeclaredKnobFact& out) {
  out.name = from.text("name");
  if (out.name.empty()) return false;
  if (const auto value = from.whole("value")) {
    out.value = *value;
  } else {
    return false;
  }
  if (const auto value = from.whole("least")) {
    out.least = *value;
  } else {
    return false;
  }
  if (const auto value = from.whole("most")) {
    out.most = *value;
  } else {
    return false;
  }
  return true;
}

bool read(const FactFields& from, DrawsFact& out) {
  out.loader = from.count("loader").value_or(0);
  if (const auto value = from.flag("fetch_draws")) {
    out.fetch_draws = *value;
  } else {
    return false;
  }
  return true;
}

bool read(const FactFields& from, IndicesFact& out) {
  out.loader = from.count("loader").value_or(0);
  out.batches = from.count("batches").value_or(0);
  out.hash = from.text("hash");
  if (out.hash.empty()) return false;
  return true;
}

bool read(const FactFields& from, SamplesFact& out) {
  out.loader = from.count("loader").value_or(0);
  out.batches = from.count("batches").value_or(0);
  out.samples = from.number("samples").value_or(0);
  out.repeats = from.number("repeats").value_or(0);
  out.together = from.text("together");
  out.rising = from.number("rising").value_or(0);
  out.successors = from.number("successors").value_or(0);
  out.quantiles = from.numbers("quantiles");
  out.rests = from.numbers("rests");
  out.ended = from.flag("ended").value_or(false);
  return true;
}

bool read(const FactFields& from, MemoryFact& out) {
  out.host_peak_bytes = from.large("host_peak_bytes");
  out.host_data_bytes = from.large("host_data_bytes");
  out.device_peak_bytes = from.large("device_peak_bytes");
  out.device_reserved_peak_bytes = from.large("device_reserved_peak_bytes");
  out.device_limit_bytes = from.large("device_limit_bytes");
  return true;
}

bool read(const FactFields& from, HostMemoryFact& out) {
  out.room_bytes = from.large("room_bytes");
  out.oom_kills = from.large("oom_kills");
  return true;
}

bool read(const FactFields& from, FailureFact& out) {
  out.type = from.text("type");
  out.message = from.text("message");
  out.at = from.text("at");
  return true;
}

bool read(const FactFields& from, StoppedFact& out) {
  out.steps = from.large("steps");
  return true;
}

bool read(const FactFields& from, TunedSettingFact& out) {
  out.knob = from.text("knob");
  if (out.knob.empty()) return false;
  out.from = from.literal("from");
  out.to = from.literal("to");
  out.speedup = from.number("speedup");
  out.lo = from.number("lo");
  out.hi = from.number("hi");
  return true;
}

bool read(const FactFields& from, TunedFact& out) {
  if (const auto value = from.number("seconds")) {
    out.seconds = *value;
  } else {
    return false;
  }
  out.lost_s = from.number("lost_s");
  out.tried = from.count("tried");
  out.cut_by = from.text("cut_by");
  out.left_out = from.texts("left_out");
  for (const FactFields& one : from.objects("kept")) {
    if (TunedSettingFact item; read(one, item)) out.kept.push_back(std::move(item));
  }
  return true;
}

bool read(const FactFields& from, TraceFact& out) {
  out.mode = from.text("mode");
  out.cupti = from.text("cupti");
  out.state = from.text("state");
  if (out.state.empty()) return false;
  out.why = from.text("why");
  return true;
}

bool read(const FactFields& from, ProblemFact& out) {
  out.problem = from.text("problem");
  if (out.problem.empty()) return false;
  return true;
}

bool read(const FactFields& from, TrackRunFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.source = from.text("source");
  out.id = from.text("id");
  out.project = from.text("project");
  out.entity = from.text("entity");
  out.name = from.text("name");
  out.group = from.text("group");
  out.job_type = from.text("job_type");
  out.tags = from.texts("tags");
  out.notes = from.text("notes");
  out.name_space = from.text("namespace");
  out.mode = from.text("mode");
  out.resumed = from.flag("resumed").value_or(false);
  out.branch = from.text("branch");
  out.from = from.text("from");
  out.from_step = from.whole("from_step");
  return true;
}

bool read(const FactFields& from, TrackHistoryFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.values = from.large("values").value_or(0);
  out.rows = from.large("rows").value_or(0);
  out.recordings = from.texts("recordings");
  out.problem = from.text("problem");
  return true;
}

bool read(const FactFields& from, TrackConfigFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.set = from.object("set");
  out.remove = from.texts("remove");
  out.in_file = from.text("in_file");
  return true;
}

bool read(const FactFields& from, TrackSummaryFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.set = from.object("set");
  out.in_file = from.text("in_file");
  return true;
}

bool read(const FactFields& from, TrackMetricFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.name = from.text("name");
  if (out.name.empty()) return false;
  out.step_metric = from.text("step_metric");
  out.step_sync = from.flag("step_sync").value_or(false);
  out.hidden = from.flag("hidden").value_or(false);
  out.summary = from.text("summary");
  out.goal = from.text("goal");
  return true;
}

bool read(const FactFields& from, TrackRowFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.step = from.whole("step");
  out.data = from.object("data");
  out.in_file = from.text("in_file");
  return true;
}

bool read(const FactFields& from, TrackAlertFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.title = from.text("title");
  out.text = from.text("text");
  out.level = from.text("level");
  return true;
}

bool read(const FactFields& from, TrackFileFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.path = from.text("path");
  out.file = from.text("file");
  out.bytes = from.large("bytes");
  out.kind = from.text("kind");
  out.artifact = from.object("artifact");
  return true;
}

bool read(const FactFields& from, TrackEndFact& out) {
  if (const auto value = from.count("track")) {
    out.track = *value;
  } else {
    return false;
  }
  out.exit_code = from.whole("exit_code");
  return true;
}

bool read(const FactFields& from, TrackLossFact& out) {
  out.track = from.count("track").value_or(0);
  out.values = from.large("values").value_or(0);
  out.facts = from.large("facts").value_or(0);
  return true;
}

bool read(const FactFields& from, TrackCloseFact& out) {
  out.exit_code = from.whole("exit_code", Wholes{.least = -2147483648, .most = 2147483647}).value_or(0);
  return true;
}

template <typename T>
std::optional<T> decoded(std::string_view json) {
  const FactText text(json);
  T out;
  if (!text.is_object() || !read(text.fields(), out)) return std::nullopt;
  return out;
}

template <typename T>
void add(const Fact& fact, std::vector<T>& to) {
  std::optional<T> out = decoded<T>(fact.json);
  if (!out) return;
  out->t_ns = fact.t_ns;
  to.push_back(std::move(*out));
}

struct Kind {
  std::string_view key;
  void (*add)(const Fact&, Observed&);
};

constexpr Kind kKinds[] = {
    {facts::kEnvironment, [](const Fact& fact, Observed& to) { add(fact, to.environments); }},
    {facts::kImports, [](const Fact& fact, Observed& to) { add(fact, to.imports); }},
    {facts::kLoader, [](const Fact& fact, Observed& to) { add(fact, to.loaders); }},
    {facts::kLoaderFiles, [](const Fact& fact, Observed& to) { add(fact, to.loader_files); }},
    {facts::kEngineSpeed, [](const Fact& fact, Observed& to) { add(fact, to.engine_speeds); }},
    {facts::kEngine, [](const Fact& fact, Observed& to) { add(fact, to.engines); }},
    {facts::kIterator, [](const Fact& fact, Observed& to) { add(fact, to.iterators); }},
    {facts::kModel, [](const Fact& fact, Observed& to) { add(fact, to.models); }},
    {facts::kOptimizer, [](const Fact& fact, Observed& to) { add(fact, to.optimizers); }},
    {facts::kWorker, [](const Fact& fact, Observed& to) { add(fact, to.workers); }},
    {facts::kPrecision, [](const Fact& fact, Observed& to) { add(fact, to.precisions); }},
    {facts::kFramework, [](const Fact& fact, Observed& to) { add(fact, to.frameworks); }},
    {facts::kRank, [](const Fact& fact, Observed& to) { add(fact, to.ranks); }},
    {facts::kDevices, [](const Fact& fact, Observed& to) { add(fact, to.devices); }},
    {facts::kCopy, [](const Fact& fact, Observed& to) { add(fact, to.copies); }},
    {facts::kWaitSite, [](const Fact& fact, Observed& to) { add(fact, to.wait_sites); }},
    {facts::kMarks, [](const Fact& fact, Observed& to) { add(fact, to.marks); }},
    {facts::kDdp, [](const Fact& fact, Observed& to) { add(fact, to.ddp); }},
    {facts::kCaptures, [](const Fact& fact, Observed& to) { add(fact, to.captures); }},
    {facts::kKnob, [](const Fact& fact, Observed& to) { add(fact, to.knobs); }},
    {facts::kDeclaredKnob, [](const Fact& fact, Observed& to) { add(fact, to.declared_knobs); }},
    {facts::kDraws, [](const Fact& fact, Observed& to) { add(fact, to.draws); }},
    {facts::kIndices, [](const Fact& fact, Observed& to) { add(fact, to.indices); }},
    {facts::kSamples, [](const Fact& fact, Observed& to) { add(fact, to.samples); }},
    {facts::kMemory, [](const Fact& fact, Observed& to) { add(fact, to.memories); }},
    {facts::kHostMemory, [](const Fact& fact, Observed& to) { add(fact, to.host_memories); }},
    {facts::kFailure, [](const Fact& fact, Observed& to) { add(fact, to.failures); }},
    {facts::kStopped, [](const Fact& fact, Observed& to) { add(fact, to.stopped); }},
    {facts::kTuned, [](const Fact& fact, Observed& to) { add(fact, to.tuned); }},
    {facts::kTrace, [](const Fact& fact, Observed& to) { add(fact, to.traces); }},
    {facts::kProblem, [](const Fact& fact, Observed& to) { add(fact, to.problems); }},
    {facts::kTrackRun, [](const Fact& fact, Observed& to) { add(fact, to.track_runs); }},
    {facts::kTrackHistory, [](const Fact& fact, Observed& to) { add(fact, to.track_histories); }},
    {facts::kTrackConfig, [](const Fact& fact, Observed& to) { add(fact, to.track_configs); }},
    {facts::kTrackSummary, [](const Fact& fact, Observed& to) { add(fact, to.track_summaries); }},
    {facts::kTrackMetric, [](const Fact& fact, Observed& to) { add(fact, to.track_metrics); }},
    {facts::kTrackRow, [](const Fact& fact, Observed& to) { add(fact, to.track_rows); }},
    {facts::kTrackAlert, [](const Fact& fact, Observed& to) { add(fact, to.track_alerts); }},
    {facts::kTrackFile, [](const Fact& fact, Observed& to) { add(fact, to.track_files); }},
    {facts::kTrackEnd, [](const Fact& fact, Observed& to) { add(fact, to.track_ends); }},
    {facts::kTrackLoss, [](const Fact& fact, Observed& to) { add(fact, to.track_losses); }},
    {facts::kTrackClose, [](const Fact& fact, Observed& to) { add(fact, to.track_closes); }},
};

}  // namespace

template <>
std::optional<EnvironmentFact> decode(std::string_view json) { return decoded<EnvironmentFact>(json); }
template <>
std::optional<ImportsFact> decode(std::string_view json) { return decoded<ImportsFact>(json); }
template <>
std::optional<LoaderFact> decode(std::string_view json) { return decoded<LoaderFact>(json); }
template <>
std::optional<LoaderFilesFact> decode(std::string_view json) { return decoded<LoaderFilesFact>(json); }
template <>
std::optional<EngineSpeedFact> decode(std::string_view json) { return decoded<EngineSpeedFact>(json); }
template <>
std::optional<EngineFact> decode(std::string_view json) { return decoded<EngineFact>(json); }
template <>
std::optional<IteratorFact> decode(std::string_view json) { return decoded<IteratorFact>(json); }
template <>
std::optional<ModelFact> decode(std::string_view json) { return decoded<ModelFact>(json); }
template <>
std::optional<OptimizerFact> decode(std::string_view json) { return decoded<OptimizerFact>(json); }
template <>
std::optional<WorkerFact> decode(std::string_view json) { return decoded<WorkerFact>(json); }
template <>
std::optional<PrecisionFact> decode(std::string_view json) { return decoded<PrecisionFact>(json); }
template <>
std::optional<FrameworkFact> decode(std::string_view json) { return decoded<FrameworkFact>(json); }
template <>
std::optional<RankFact> decode(std::string_view json) { return decoded<RankFact>(json); }
template <>
std::optional<DevicesFact> decode(std::string_view json) { return decoded<DevicesFact>(json); }
template <>
std::optional<CopyFact> decode(std::string_view json) { return decoded<CopyFact>(json); }
template <>
std::optional<WaitSiteFact> decode(std::string_view json) { return decoded<WaitSiteFact>(json); }
template <>
std::optional<MarksFact> decode(std::string_view json) { return decoded<MarksFact>(json); }
template <>
std::optional<DdpFact> decode(std::string_view json) { return decoded<DdpFact>(json); }
template <>
std::optional<CapturesFact> decode(std::string_view json) { return decoded<CapturesFact>(json); }
template <>
std::optional<KnobFact> decode(std::string_view json) { return decoded<KnobFact>(json); }
template <>
std::optional<DeclaredKnobFact> decode(std::string_view json) { return decoded<DeclaredKnobFact>(json); }
template <>
std::optional<DrawsFact> decode(std::string_view json) { return decoded<DrawsFact>(json); }
template <>
std::optional<IndicesFact> decode(std::string_view json) { return decoded<IndicesFact>(json); }
template <>
std::optional<SamplesFact> decode(std::string_view json) { return decoded<SamplesFact>(json); }
template <>
std::optional<MemoryFact> decode(std::string_view json) { return decoded<MemoryFact>(json); }
template <>
std::optional<HostMemoryFact> decode(std::string_view json) { return decoded<HostMemoryFact>(json); }
template <>
std::optional<FailureFact> decode(std::string_view json) { return decoded<FailureFact>(json); }
template <>
std::optional<StoppedFact> decode(std::string_view json) { return decoded<StoppedFact>(json); }
template <>
std::optional<TunedFact> decode(std::string_view json) { return decoded<TunedFact>(json); }
template <>
std::optional<TraceFact> decode(std::string_view json) { return decoded<TraceFact>(json); }
template <>
std::optional<ProblemFact> decode(std::string_view json) { return decoded<ProblemFact>(json); }
template <>
std::optional<TrackRunFact> decode(std::string_view json) { return decoded<TrackRunFact>(json); }
template <>
std::optional<TrackHistoryFact> decode(std::string_view json) { return decoded<TrackHistoryFact>(json); }
template <>
std::optional<TrackConfigFact> decode(std::string_view json) { return decoded<TrackConfigFact>(json); }
template <>
std::optional<TrackSummaryFact> decode(std::string_view json) { return decoded<TrackSummaryFact>(json); }
template <>
std::optional<TrackMetricFact> decode(std::string_view json) { return decoded<TrackMetricFact>(json); }
template <>
std::optional<TrackRowFact> decode(std::string_view json) { return decoded<TrackRowFact>(json); }
template <>
std::optional<TrackAlertFact> decode(std::string_view json) { return decoded<TrackAlertFact>(json); }
template <>
std::optional<TrackFileFact> decode(std::string_view json) { return decoded<TrackFileFact>(json); }
template <>
std::optional<TrackEndFact> decode(std::string_view json) { return decoded<TrackEndFact>(json); }
template <>
std::optional<TrackLossFact> decode(std::string_view json) { return decoded<TrackLossFact>(json); }
template <>
std::optional<TrackCloseFact> decode(std::string_view json) { return decoded<TrackCloseFact>(json); }

void observe(const Fact& fact, Observed& to) {
  for (const Kind& kind : kKinds) {
    if (kind.key == fact.key) return kind.add(fact, to);
  }
}

}  // namespace flatout::run
