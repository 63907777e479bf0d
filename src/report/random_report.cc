#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "report/examples.h"
#include "run/phase.h"

namespace flatout::report {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  bool chance(double share) { return std::bernoulli_distribution(share)(engine_); }
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(engine_); }
  double number() {
    switch (below(8)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return std::numeric_limits<double>::infinity();
      case 2:
        return -std::uniform_real_distribution<double>(0, 1e12)(engine_);
      case 3:
        return 1.7e308;
      case 4:
        return 0;
      default:
        return std::exp(std::normal_distribution<double>(0, 6)(engine_));
    }
  }
  std::optional<double> maybe() { return chance(0.7) ? std::optional(number()) : std::nullopt; }
  std::string words() {
    std::string out;
    for (int n = below(40); n > 0; --n) {
      for (int letters = chance(0.05) ? below(200) : below(12); letters > 0; --letters) {
        out += chance(0.03) ? static_cast<char>(below(256)) : static_cast<char>('a' + below(26));
      }
      out += chance(0.9) ? " " : "/";
    }
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

run::Utilization utilization(double mean) {
  run::Utilization out;
  out.source = "nvml";
  out.mean = mean;
  return out;
}

void add_random_limits(Dice& dice, run::KernelTraceReport& trace) {
  if (dice.chance(0.7)) {
    trace.queue = {dice.number(), dice.number(), dice.number(), dice.number(), dice.number()};
  }
  if (dice.chance(0.7)) {
    trace.roofline.emplace();
    trace.roofline->known_share = dice.number();
    trace.roofline->tflops = dice.maybe();
    trace.roofline->flops_utilization = dice.maybe();
    if (dice.chance(0.5)) {
      run::PeaksReport& peaks = trace.roofline->peaks.emplace();
      peaks.source = dice.words();
      peaks.float32_tflops = dice.number();
      peaks.memory_gb_per_s = dice.number();
      for (auto* peak : {&peaks.tf32_tflops, &peaks.float16_tflops, &peaks.bfloat16_tflops,
                         &peaks.float8_tflops}) {
        *peak = dice.maybe();
      }
    }
    for (int n = dice.below(12); n > 0; --n) {
      run::RooflineClassReport one;
      one.kernel_class = "gemm";
      one.time_ms = dice.number();
      one.known_share = dice.number();
      for (auto* value : {&one.tflops, &one.gb_per_s, &one.flops_per_byte, &one.compute_share,
                          &one.bandwidth_share, &one.roof_share, &one.odd_dims_share}) {
        *value = dice.maybe();
      }
      trace.roofline->classes.push_back(one);
    }
  }
  if (dice.chance(0.7)) {
    trace.memory.emplace();
    trace.memory->peak_allocated_bytes = dice.below(1 << 30);
    if (dice.chance(0.5)) trace.memory->peak_reserved_bytes = dice.below(1 << 30);
    if (dice.chance(0.5)) trace.memory->steps.push_back({1, dice.below(1 << 30)});
  }
}

run::AllocatorReport random_allocator(Dice& dice) {
  run::AllocatorReport memory;
  memory.sampled = true;
  memory.peak_allocated_bytes = dice.below(1 << 30);
  if (dice.chance(0.5)) memory.peak_by_step = dice.below(1000) + 1;
  if (dice.chance(0.5)) memory.peak_after_step = dice.below(1000);
  if (dice.chance(0.5)) memory.peak_reserved_bytes = dice.below(1 << 30);
  if (dice.chance(0.5)) memory.retries_in_steps = dice.below(3);
  if (dice.chance(0.5)) memory.ooms = dice.below(3);
  memory.processes = 1 + dice.below(3);
  return memory;
}

run::KernelTraceReport random_trace(Dice& dice) {
  run::KernelTraceReport trace;
  for (double* share : {&trace.busy, &trace.compute, &trace.comm_exposed, &trace.copy_exposed,
                        &trace.idle, &trace.window_ms, &trace.comm.time_ms, &trace.comm.exposed_ms,
                        &trace.copies.h2d_ms, &trace.kernels.time_ms}) {
    *share = dice.number();
  }
  if (dice.chance(0.7)) {
    trace.idle_account.emplace();
    for (double& share : trace.idle_account->shares) share = dice.number();
  }
  trace.kernels.count = dice.below(1 << 30);
  trace.kernels.short_share = dice.maybe();
  trace.kernels.tensor_core_share = dice.maybe();
  trace.copies.pageable_share = dice.maybe();
  if (dice.chance(0.5)) trace.copies.h2d_bytes = std::numeric_limits<std::int64_t>::max();
  trace.comm.overlap = dice.maybe();
  for (int n = dice.below(12); n > 0; --n) {
    trace.kernels.top.push_back({dice.words(), "gemm", dice.below(1000), dice.number()});
  }
  for (int n = dice.below(4); n > 0; --n) {
    trace.kernels.lengths.push_back(
        {dice.number(), dice.number(), dice.below(1000), dice.number()});
  }
  for (int n = dice.below(4); n > 0; --n) {
    trace.waits.push_back({dice.words(), dice.words(), dice.words(), dice.words(), dice.words(),
                           dice.words(), dice.below(1000), dice.number(), dice.maybe(),
                           dice.chance(0.2)});
  }
  if (dice.chance(0.5)) {
    trace.free_work.emplace();
    trace.free_work->of_ms = dice.number();
    trace.free_work->saves.emplace_back("launch", dice.number());
  }
  if (dice.chance(0.7)) {
    trace.launches = {dice.below(1000), dice.number(), dice.number(), dice.maybe()};
  }
  add_random_limits(dice, trace);
  return trace;
}

run::RankComparison random_ranks(Dice& dice) {
  run::RankComparison ranks;
  ranks.from = static_cast<run::RanksFrom>(dice.below(3));
  for (int n = dice.below(20); n > 0; --n) {
    run::ComparedRank rank;
    rank.rank = dice.below(1 << 20);
    rank.file = dice.words();
    for (auto* value :
         {&rank.step_ms, &rank.busy, &rank.comm_exposed, &rank.idle, &rank.clock_ahead_ms}) {
      *value = dice.maybe();
    }
    rank.last = dice.below(1 << 30);
    rank.held_ms = dice.number();
    rank.waited_ms = dice.number();
    ranks.ranks.push_back(rank);
  }
  if (dice.chance(0.5)) ranks.world_size = dice.below(1 << 20);
  ranks.collectives = dice.below(1 << 30);
  ranks.numbered = dice.chance(0.5);
  if (dice.chance(0.5)) {
    ranks.straggler.emplace();
    ranks.straggler->held_ms = dice.number();
    ranks.straggler->exposed_ms = dice.number();
    ranks.straggler->share = dice.number();
    for (int n = dice.below(4); n > 0; --n) {
      ranks.straggler->phases.emplace_back("forward", dice.number());
    }
  }
  return ranks;
}

run::TracingReport random_tracing(Dice& dice) {
  static const char* const kStates[] = {"on", "yielded", "failed", "absent"};
  run::TracingReport tracing;
  tracing.state = kStates[dice.below(4)];
  if (dice.chance(0.5)) tracing.why = dice.words();
  if (dice.chance(0.5)) tracing.windows = dice.below(1000);
  tracing.traced_s = dice.maybe();
  tracing.share = dice.maybe();
  tracing.dropped = static_cast<std::uint64_t>(dice.below(3));
  return tracing;
}

run::Finding random_finding(Dice& dice) {
  static const char* const kIds[] = {"input_bound", "host_bound", "epoch_gap", "compute_bound"};
  run::Finding finding;
  finding.id = kIds[dice.below(4)];
  finding.cause = static_cast<run::Cause>(dice.below(static_cast<int>(run::kCauseNames.size())));
  finding.severity = static_cast<run::Severity>(dice.below(3));
  finding.share = dice.number();
  finding.of_run = dice.chance(0.2);
  finding.confidence = dice.number();
  finding.summary = dice.words();
  for (int n = dice.below(4); n > 0; --n) {
    finding.evidence.push_back({.metric = dice.words(),
                                .value = dice.number(),
                                .unit = "ratio",
                                .threshold = dice.maybe(),
                                .start_s = dice.maybe(),
                                .end_s = dice.maybe()});
  }
  for (int n = dice.below(4); n > 0; --n) {
    run::Advice advice;
    advice.knob = dice.chance(0.5) ? "dataloader.num_workers" : dice.words();
    advice.from = dice.words();
    advice.to = dice.chance(0.5) ? "8" : dice.words();
    if (dice.chance(0.7)) advice.predicted = {dice.number(), dice.number(), dice.number()};
    advice.risk = static_cast<run::Risk>(dice.below(3));
    advice.other_draws = dice.chance(0.5);
    if (dice.chance(0.3)) advice.argument = dice.words();
    advice.how = dice.words();
    advice.at = dice.words();
    finding.advice.push_back(advice);
  }
  return finding;
}

run::StepsReport random_steps(Dice& dice) {
  run::StepsReport steps;
  steps.count = dice.below(2000);
  steps.steady_count = dice.below(2000);
  steps.median_ms = dice.maybe();
  steps.p95_ms = dice.maybe();
  steps.mean_ms = dice.maybe();
  steps.batch_size = dice.maybe();
  steps.samples_per_s = dice.maybe();
  steps.device_busy = dice.maybe();
  for (std::size_t i = 0; i < run::kPhaseCount; ++i) {
    const std::string name(run::kPhaseNames[i]);
    if (dice.chance(0.8)) steps.phases[name] = dice.number();
    if (dice.chance(0.2)) steps.phases_unavailable[name] = dice.words();
  }
  steps.startup_s = dice.maybe();
  steps.eval_s = dice.maybe();
  return steps;
}

}  // namespace

run::Report random_report(std::uint64_t seed) {
  Dice dice(seed);
  run::Report report;
  report.run.id = dice.chance(0.9) ? "k7f2" : dice.words();
  report.run.name = dice.chance(0.5) ? "" : dice.words();
  for (int n = dice.below(5); n > 0; --n) report.run.command.push_back(dice.words());
  report.run.cwd = dice.words();
  report.run.cpu_model = dice.words();
  report.run.hooks_off = dice.chance(0.7) ? "" : dice.words();
  report.run.started_wall_ns = static_cast<std::int64_t>(seed * 0x9e3779b97f4a7c15ULL);
  report.state = static_cast<run::RunState>(dice.below(5));
  if (dice.chance(0.8)) {
    report.end = run::RunEnd{};
    report.end->exit_code = dice.below(256);
    report.end->signal = dice.chance(0.5) ? dice.below(80) : 0;
    for (int n = dice.below(8); n > 0; --n) report.end->survivors.push_back(dice.below(1 << 22));
  }
  report.duration_s = dice.number();
  report.verdict = {
      .finding = dice.chance(0.5) ? "input_bound" : dice.words(),
      .cause = static_cast<run::Cause>(dice.below(static_cast<int>(run::kCauseNames.size()))),
      .summary = dice.words(),
      .confidence = dice.number(),
      .ruled_out = {dice.words(), dice.words()}};
  if (dice.chance(0.8)) report.steps = random_steps(dice);
  if (dice.chance(0.2)) {
    report.failure.emplace();
    report.failure->error = dice.words();
    report.failure->at = dice.words();
  }
  if (dice.chance(0.5)) report.verdict.rests_on_share = dice.number();
  if (dice.chance(0.6)) {
    report.account = run::RunAccount{.total_s = dice.number(),
                                     .startup_s = dice.number(),
                                     .warm_up_s = dice.number(),
                                     .steps_s = dice.number(),
                                     .eval_s = dice.number(),
                                     .checkpoint_s = dice.number(),
                                     .epoch_gap_s = dice.number(),
                                     .end_s = dice.number()};
  }
  for (int n = dice.below(4); n > 0; --n) {
    run::DeviceReport device;
    device.index = n;
    device.name = dice.words();
    device.kind = dice.chance(0.5) ? "cpu" : "cuda";
    if (dice.chance(0.7)) device.utilization = utilization(dice.number());
    if (device.utilization) device.utilization->period_ms = dice.maybe();
    if (device.utilization) device.utilization->pattern = dice.words();
    device.uuid = dice.words();
    if (dice.chance(0.5)) device.used = dice.chance(0.5);
    if (dice.chance(0.5)) device.visible_index = dice.below(8);
    if (dice.chance(0.5)) device.memory_used_bytes = std::numeric_limits<std::int64_t>::max();
    if (dice.chance(0.5)) device.memory_total_bytes = dice.below(1 << 30);
    if (dice.chance(0.3)) device.trace = random_trace(dice);
    if (dice.chance(0.3)) device.allocator = random_allocator(dice);
    if (device.trace && dice.chance(0.5)) device.trace_in_steps = random_trace(dice);
    device.power_w = dice.maybe();
    device.power_limit_w = dice.maybe();
    device.temperature_c = dice.maybe();
    device.throttled = {dice.maybe(), dice.maybe(), dice.maybe()};
    device.activity = {dice.maybe(), dice.maybe(), dice.maybe(), dice.maybe()};
    device.others.utilization = dice.maybe();
    if (dice.chance(0.3)) device.unavailable[dice.words()] = dice.words();
    report.devices.push_back(device);
  }
  if (dice.chance(0.3)) report.tracing = random_tracing(dice);
  report.host.cpus = dice.below(1000);
  report.host.cpu_mean = dice.maybe();
  if (dice.chance(0.5)) report.host.memory_peak_bytes = std::numeric_limits<std::int64_t>::max();
  if (dice.chance(0.6)) {
    report.loader = run::LoaderReport{};
    report.loader->workers = dice.below(100);
    report.loader->built_at = dice.words();
    report.loader->sample_ms = dice.maybe();
    report.loader->max_samples_per_s = dice.maybe();
    if (dice.chance(0.4)) {
      run::EngineWork work;
      work.threads = dice.below(1025);
      for (const auto part : {run::EnginePart::kRead, run::EnginePart::kDecode,
                              run::EnginePart::kTransform, run::EnginePart::kMix}) {
        if (dice.chance(0.7)) work.stages.push_back({part, dice.number(), dice.number()});
      }
      work.idle_full_s = dice.maybe();
      work.idle_starved_s = dice.maybe();
      report.loader->engine_work = work;
    }
    for (int n = dice.below(9); n > 0; --n) {
      report.loader->stages.push_back({dice.words(), dice.number()});
    }
  }
  for (int n = dice.below(6); n > 0; --n) report.findings.push_back(random_finding(dice));
  // Mostly a verdict that is one of them.
  if (!report.findings.empty() && dice.chance(0.7)) {
    const run::Finding& chosen = report.findings[static_cast<std::size_t>(
        dice.below(static_cast<int>(report.findings.size())))];
    report.verdict.finding = chosen.id;
    report.verdict.cause = chosen.cause;
  }
  for (int n = dice.below(6); n > 0; --n) report.notes.push_back(dice.words());
  if (dice.chance(0.2)) report.ranks = random_ranks(dice);
  for (int n = dice.below(4); n > 0; --n) {
    run::TrackedReport one{.source = dice.words(),
                           .id = dice.words(),
                           .project = dice.words(),
                           .name = dice.words(),
                           .metrics = dice.below(1 << 30),
                           .points = dice.below(1 << 30)};
    one.values.push_back({dice.words(), 1 + dice.below(1 << 30), dice.maybe(), {}});
    report.tracked.push_back(std::move(one));
  }
  return report;
}

}  // namespace flatout::report
