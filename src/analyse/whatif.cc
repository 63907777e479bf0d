// Calibration: CPU time and, where the kernel tells, the time for which a core
// was missing are known. A wall time measured on busy cores may still hold some
// of the latter, which the model would add a second time. So the pure waits are
// shrunk until the simulated present shows the
// measured fetch and busy times; what cannot be matched stays as the error.
#include "analyse/whatif.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>

#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

constexpr int kReplicas = 60;
constexpr std::size_t kReplicaSteps = 200;
constexpr std::size_t kMaxSteps = 600;   // of a long run: the last ones
constexpr int kMaxDraws = 1'000;         // a step; beyond it a replay is too slow
constexpr std::size_t kBlock = 10;       // steps are autocorrelated
constexpr std::size_t kLeastBlocks = 5;  // of few steps: else every resample is nearly the same
constexpr int kMaxWorkers = 256;
constexpr int kMostWorkers = 1'024;  // that a recording is believed
constexpr int kMostPrefetch = 10'000;
// See model_spread. Of settings that hardly differ: 35 of the 36 predictions of
// whatif_reality_test.cc, on cores kept quiet, missed by less.
constexpr double kLeastSpread = 0.07;
// Of gains as large as those of the 8 programs of tests/whatif/held_out_gains.json (x1.7 and more):
// Student's 97.5 % point times the root mean square of their log misses, 0.196, rounded up.
constexpr double kMostSpread = 0.20;
// Between the two nothing was measured. A miss vanishes with the change, and at x1.54, below the
// least of those gains, it has reached theirs.
constexpr double kSpreadOfChange = 0.3;
constexpr double kUnknownCoresSpread = 0.10;
// Nobody knows what other programs want in the next run.
constexpr double kOthersSpread = 0.10;
// The hand-over depends on machine, tensors a batch and their size.
constexpr double kIpcLow = 0.5;
constexpr double kIpcHigh = 2.0;
// Ending one worker at the end of an epoch took 0.2 to 0.35 times what building it took, with 2 to
// 8 workers.
constexpr double kWorkerEndNs = 3e6;
constexpr double kWakeNs = 0.3e6;     // of one worker that lives on, at the begin of an epoch
constexpr double kSurelySaved = 0.9;  // of what goes by the measured times
constexpr double kMostSaved = 0.999;  // of an epoch
constexpr int kCalibrationRounds = 12;
constexpr double kCalibrated = 0.005;

template <typename Range, typename Field>
double mean_of(const Range& range, Field field) {
  double sum = 0;
  for (const auto& item : range) sum += static_cast<double>(field(item));
  return range.empty() ? 0 : sum / static_cast<double>(range.size());
}

// hypot() of two arguments would bind the program to the newest glibc.
double both(double a, double b) { return std::sqrt(a * a + b * b); }

std::size_t warm_up_of(std::span<const StepCost> steps) { return steps.size() / 2 + 1; }

double step_ns(const LoopModel& model, std::span<const FetchCost> fetches,
               std::span<const StepCost> steps) {
  return simulate(model, fetches, steps, warm_up_of(steps)).step_ns;
}

// `wait_scale` and `busy_scale` are what contention has left of pure waiting
// and of the step's own time; CPU time is kept.
// Beside other programs a fetch that sleeps also waits for a core whenever it wakes, for longer
// than its CPU time accounts for: that remains, as waiting.
std::vector<FetchCost> fetch_costs(const WhatIfInput& input, double wait_scale) {
  const int workers = input.present ? input.present->workers : 0;
  const double wanted = input.others_cores + 1 + workers;
  const double tasks_a_core = input.cores > 0 ? std::max(1.0, wanted / input.cores) : 1;
  std::vector<FetchCost> costs;
  costs.reserve(input.fetches.size());
  for (const MeasuredFetch& fetch : input.fetches) {
    const auto wall = std::max(0.0, static_cast<double>(fetch.wall_ns));
    const double cpu = std::clamp(static_cast<double>(fetch.cpu_ns), 0.0, wall);
    const double delay = std::clamp(static_cast<double>(fetch.delay_ns), 0.0, wall - cpu);
    const double kept = input.others_cores > 0 ? delay - cpu * (tasks_a_core - 1) : 0;
    costs.push_back(
        {.cpu_ns = cpu, .wait_ns = (wall - cpu - delay + std::max(0.0, kept)) * wait_scale});
  }
  return costs;
}

std::vector<StepCost> step_costs(std::span<const MeasuredStep> steps, double cores,
                                 double busy_scale) {
  const double compute_scale = std::max(busy_scale, std::min(cores, 1.0));
  std::vector<StepCost> costs;
  costs.reserve(steps.size());
  for (const MeasuredStep& step : steps) {
    costs.push_back(
        {.host_ns = std::max(0.0, static_cast<double>(step.host_ns)) * busy_scale,
         .compute_ns = std::max(0.0, static_cast<double>(step.compute_ns)) * compute_scale,
         .compute_cores = cores / compute_scale,
         .device_ns = std::max(0.0, static_cast<double>(step.device_ns)),
         .draws = step.draws});
  }
  return costs;
}

std::vector<std::size_t> block_resample(std::size_t n, std::size_t length, std::mt19937_64& rng) {
  const std::size_t block = std::clamp<std::size_t>(n / kLeastBlocks, 1, kBlock);
  std::uniform_int_distribution<std::size_t> start(0, n - block);
  std::vector<std::size_t> out;
  out.reserve(length + block);
  while (out.size() < length) {
    const std::size_t from = start(rng);
    for (std::size_t i = 0; i < block; ++i) out.push_back(from + i);
  }
  out.resize(length);
  return out;
}

}  // namespace

const IpcCost kMeasuredIpc = {.worker_fixed_ns = 2.0e6,
                              .worker_ns_per_byte = 0.8,
                              .main_fixed_ns = 1.5e6,
                              .main_ns_per_byte = 0.3};

const WorkerStart kMeasuredStart = {.build_ns = 10e6, .start_ns = 16e6, .first_fetch_ns = 0};

double model_spread(double ratio) {
  return std::min(kMostSpread, kLeastSpread + kSpreadOfChange * std::abs(std::log(ratio)));
}

WhatIf::WhatIf(const WhatIfInput& input, std::uint64_t seed)
    : batch_samples_(input.batch_samples),
      enough_steps_(std::ssize(input.steps) >= run::kLeastPredictedSteps),
      compute_cores_known_(input.compute_cores.has_value()) {
  if (input.present && input.present->workers <= kMostWorkers) measure_epochs(input);
  // A step that drew nothing (a cut recording) is replayed with one draw; a
  // loop with many of those is not fed by this loader.
  const auto undrawn =
      std::ranges::count_if(input.steps, [](const auto& s) { return s.draws < 1; });
  const bool draws_ok = static_cast<std::size_t>(undrawn) * 20 <= input.steps.size() &&
                        std::ranges::all_of(input.steps, [](const MeasuredStep& step) {
                          return step.draws <= kMaxDraws;
                        });
  if (!enough_steps_ || !draws_ok || input.fetches.size() < kMinFetches || !(input.cores > 0)) {
    return;
  }
  // More than a loader can have is a recording's mistake, and too much to replay.
  if (!input.present || input.present->workers > kMostWorkers ||
      input.present->prefetch_factor > kMostPrefetch) {
    return;
  }
  calibrate(input, *input.present);
  resample(seed);
}

void WhatIf::calibrate(const WhatIfInput& input, const run::LoaderSetting& present) {
  std::span<const MeasuredStep> measured = input.steps;
  if (measured.size() > kMaxSteps) measured = measured.last(kMaxSteps);
  const double fetch_ns = mean_of(input.fetches, [](const auto& f) { return f.wall_ns; });
  const double busy_ns =
      mean_of(measured, [](const auto& step) { return step.compute_ns + step.host_ns; });
  const double wait_ns = mean_of(measured, [](const auto& step) { return step.data_wait_ns; });
  const double draws = mean_of(measured, [](const auto& step) { return std::max(1, step.draws); });
  if (!(busy_ns + wait_ns > 0)) return;

  present_ = {.cores = input.cores,
              .others_cores = input.others_cores,
              .loader = present,
              .ipc = kMeasuredIpc,
              .batch_bytes = std::max(0.0, input.batch_bytes.value_or(0)),
              .epoch_draws = input.epoch_draws};
  if (!input.persistent_workers) {
    present_.start = kMeasuredStart;
    present_.start.first_fetch_ns = std::max(0.0, static_cast<double>(input.first_fetch_ns));
  }
  if (present.workers == 0) {
    present_.draw_ns = std::max(0.0, wait_ns / draws - fetch_ns);
  } else {
    present_.ipc.worker_ns_per_byte = 0;  // the fetches hold it already
    take_handover(input);
  }

  const double cores = std::max(0.0, input.compute_cores.value_or(1.0));
  const double pure_wait_ns =
      mean_of(fetch_costs(input, 1), [](const auto& f) { return f.wait_ns; });
  double wait_scale = 1;
  double busy_scale = 1;
  for (int round = 0; round < kCalibrationRounds; ++round) {
    fetches_ = fetch_costs(input, wait_scale);
    steps_ = step_costs(measured, cores, busy_scale);
    const LoopTimes times = simulate(present_, fetches_, steps_, warm_up_of(steps_));
    present_ns_ = times.step_ns;
    const double fetch_miss_ns = times.fetch_ns - fetch_ns;
    const double busy_miss = busy_ns > 0 ? times.busy_ns / busy_ns : 1;
    if (std::abs(fetch_miss_ns) < kCalibrated * fetch_ns && std::abs(busy_miss - 1) < kCalibrated) {
      break;
    }
    if (pure_wait_ns > 0) {
      wait_scale = std::clamp(wait_scale - fetch_miss_ns / pure_wait_ns, 0.0, 1.0);
    }
    if (busy_miss > 0) busy_scale = std::clamp(busy_scale / busy_miss, 0.1, 1.0);
  }
  others_used_ = input.others_used;
  if (present_.others_cores > 0)
    present_left_ns_ = step_ns(beside_others(present_), fetches_, steps_);
  busy_ns_ = mean_of(steps_, [](const auto& s) { return s.host_ns + s.compute_ns; });
  busy_ns_ = std::max(busy_ns_, mean_of(steps_, [](const auto& step) { return step.device_ns; }));
  calibration_error_ = present_ns_ / (busy_ns + wait_ns) - 1;
}

// A held hand-over holds the plain one, too. If only held ones were seen, the plain one is taken to
// cost what it usually does.
void WhatIf::take_handover(const WhatIfInput& input) {
  const double usual_ns =
      kMeasuredIpc.main_fixed_ns + kMeasuredIpc.main_ns_per_byte * present_.batch_bytes;
  std::optional<double> plain_ns = input.handover_ns;
  if (!plain_ns && input.held_handover_ns) plain_ns = std::min(usual_ns, *input.held_handover_ns);
  if (!plain_ns) return;
  present_.ipc.main_fixed_ns = std::max(0.0, *plain_ns);
  present_.ipc.main_ns_per_byte = 0;
  if (input.held_handover_ns)
    present_.ipc.main_held_ns = std::max(0.0, *input.held_handover_ns - *plain_ns);
}

void WhatIf::measure_epochs(const WhatIfInput& input) {
  present_.loader = *input.present;
  epoch_ = input.epoch;
  persistent_ = input.persistent_workers;
  fetch_ns_ = mean_of(input.fetches, [](const auto& f) { return f.wall_ns; });
  usual_wait_ns_ = mean_of(input.steps, [](const auto& step) { return step.data_wait_ns; });
  const double own_ns = mean_of(input.steps, [](const auto& step) {
    return step.data_wait_ns + step.compute_ns + step.host_ns;
  });
  clock_step_ns_ = own_ns;
  if (epoch_.steps >= 1) clock_step_ns_ += (epoch_.gap_ns + epoch_.eval_ns) / epoch_.steps;
}

void WhatIf::resample(std::uint64_t seed) {
  if (!calibration_error_) return;
  std::mt19937_64 rng(seed);
  const std::size_t length = std::min(steps_.size(), kReplicaSteps);
  replicas_.resize(kReplicas);
  for (Replica& replica : replicas_) {
    std::size_t draws = 0;
    for (const std::size_t i : block_resample(steps_.size(), length, rng)) {
      replica.steps.push_back(steps_[i]);
      draws += static_cast<std::size_t>(std::max(1, steps_[i].draws));
    }
    for (const std::size_t i : block_resample(fetches_.size(), draws, rng)) {
      replica.fetches.push_back(fetches_[i]);
    }
    replica.present_ns = step_ns(present_, replica.fetches, replica.steps);
  }
}

LoopModel WhatIf::at(const run::LoaderSetting& setting, double ipc_factor) const {
  LoopModel model = present_;
  model.loader = setting;
  model.ipc.worker_fixed_ns *= ipc_factor;
  model.ipc.worker_ns_per_byte *= ipc_factor;
  model.ipc.main_fixed_ns *= ipc_factor;
  model.ipc.main_held_ns *= ipc_factor;
  model.ipc.main_ns_per_byte *= ipc_factor;
  return model;
}

double WhatIf::between_ns(const run::LoaderSetting& to, double factor) const {
  if (!(epoch_.steps >= 1)) return 0;
  const int now = present_.loader.workers;
  double gap_ns = epoch_.gap_ns;
  if (to.workers != now && now > 0 && !persistent_) {
    gap_ns *= static_cast<double>(to.workers) / now;
  } else if (to.workers > now && now == 0) {
    gap_ns += factor * to.workers * (kMeasuredStart.build_ns + kWorkerEndNs);
  }
  return (gap_ns + epoch_.eval_ns) / epoch_.steps;
}

WhatIf::Doubt WhatIf::Doubt::and_also(Doubt other) const {
  return {.below = both(below, other.below), .above = both(above, other.above)};
}

LoopModel WhatIf::beside_others(LoopModel model) const {
  constexpr double kLeastCores = 0.05;
  model.cores = std::max(kLeastCores, model.cores - others_used_);
  model.others_cores = 0;
  return model;
}

WhatIf::Doubt WhatIf::shared_out(double best, double then_ns) const {
  const double now_ns = present_left_ns_ + between_ns(present_.loader, 1);
  if (!(now_ns > 0) || !(then_ns > 0)) return {};
  const double away = std::log(best * then_ns / now_ns);
  return {.below = std::max(0.0, away), .above = std::max(0.0, -away)};
}

double WhatIf::ratio(const run::LoaderSetting& to, double ipc_factor) const {
  return (present_ns_ + between_ns(present_.loader, 1)) /
         (step_ns(at(to, ipc_factor), fetches_, steps_) + between_ns(to, ipc_factor));
}

bool WhatIf::confident() const {
  return calibration_error_ && std::abs(*calibration_error_) <= kLowCalibration;
}

std::optional<run::Speedup> WhatIf::loader(const run::LoaderSetting& to) const {
  if (!calibration_error_ || std::abs(*calibration_error_) > kMaxCalibration) return std::nullopt;
  if (to.workers < 0 || to.workers > kMaxWorkers) return std::nullopt;
  if (to.workers > 0 && to.prefetch_factor < 1) return std::nullopt;
  const run::LoaderSetting& now = present_.loader;
  // A worker's fetch holds the cost of shared memory, how much of it nobody measured.
  if (to.workers == 0 && now.workers > 0) return std::nullopt;
  const bool same_depth = to.workers == 0 || to.prefetch_factor == now.prefetch_factor;
  if (to.workers == now.workers && same_depth) return run::Speedup{};

  const double best = ratio(to, 1);
  if (!(best > 0) || !std::isfinite(best)) return std::nullopt;
  const LoopModel model = at(to, 1);
  std::vector<double> ratios;
  ratios.reserve(replicas_.size());
  for (const Replica& replica : replicas_) {
    ratios.push_back((replica.present_ns + between_ns(now, 1)) /
                     (step_ns(model, replica.fetches, replica.steps) + between_ns(to, 1)));
  }
  Doubt doubt;
  if (now.workers == 0) {  // the hand-over is new, so it does not cancel out
    doubt.below = std::max(0.0, std::log(best / ratio(to, kIpcHigh)));
    doubt.above = std::max(0.0, std::log(ratio(to, kIpcLow) / best));
  }
  if (present_.others_cores > 0) {
    const double then_ns = step_ns(beside_others(model), fetches_, steps_) + between_ns(to, 1);
    doubt = doubt.and_also(shared_out(best, then_ns));
  }
  return interval(best, ratios, doubt);
}

std::optional<run::Speedup> WhatIf::interval(double best, const std::vector<double>& ratios,
                                             Doubt more) const {
  const auto finite = [](double one) { return std::isfinite(one); };
  if (ratios.empty() || !std::ranges::all_of(ratios, finite)) return std::nullopt;
  double below = std::max(0.0, std::log(best / quantile(ratios, 0.025).value_or(best)));
  double above = std::max(0.0, std::log(quantile(ratios, 0.975).value_or(best) / best));
  const double calibration = std::log1p(std::abs(*calibration_error_));
  const double cores = compute_cores_known_ ? 0 : kUnknownCoresSpread;
  const double others = present_.others_cores > 0 ? kOthersSpread : 0;
  const double fixed = both(std::hypot(calibration, model_spread(best), cores), others);
  below = std::hypot(below, more.below, fixed);
  above = std::hypot(above, more.above, fixed);
  // Nothing that a loader does makes a step shorter than the step's own work. Where the replay
  // waits less than the steps were measured to, the rest of that wait may be gained, too.
  const double longest_ns = std::max(present_ns_, present_ns_ / (1 + *calibration_error_));
  const double more_ns = between_ns(present_.loader, 1);
  const double bound = busy_ns_ > 0 ? (longest_ns + more_ns) / busy_ns_ : best * std::exp(above);
  return run::Speedup{.ratio = best,
                      .lo = best * std::exp(-below),
                      .hi = std::max(best, std::min(best * std::exp(above), bound))};
}

// By what was measured: the gap goes but for waking the workers, and the first batch is waited for
// as long as one fetch takes, since the queue is empty. A run that ended by itself pays its first
// start all the same.
std::optional<run::Speedup> WhatIf::persistent_workers() const {
  if (persistent_ || epoch_.restarts < 1 || present_.loader.workers < 1) return std::nullopt;
  if (!enough_steps_ || !(clock_step_ns_ > 0) || !(epoch_.steps >= 1)) return std::nullopt;
  const double epoch_ns = clock_step_ns_ * epoch_.steps;
  const double kept_ns = std::min(epoch_.gap_ns, kWakeNs * present_.loader.workers);
  const double late_ns = epoch_.first_wait_ns - std::max(fetch_ns_, usual_wait_ns_);
  const double saved_ns = epoch_.gap_ns - kept_ns + std::max(0.0, late_ns);
  const double restarts = epoch_.restarts;
  const double share = epoch_.whole_run ? restarts / (restarts + 1) : 1;
  const auto gain = [&](double ns) {
    return 1 / (1 - share * std::clamp(ns / epoch_ns, 0.0, kMostSaved));
  };
  const double best = gain(saved_ns);
  const double spread = model_spread(best);
  const double most = gain(epoch_.gap_ns + epoch_.first_wait_ns);
  return run::Speedup{.ratio = best,
                      .lo = std::min(best, gain(kSurelySaved * saved_ns)) * std::exp(-spread),
                      .hi = std::max(best, std::min(best * std::exp(spread), most))};
}

std::optional<run::Speedup> WhatIf::remove_share(double share) const {
  if (!enough_steps_ || !(share >= 0) || !(share < 1)) return std::nullopt;
  const double bound = 1 / (1 - share);
  return run::Speedup{.ratio = bound, .lo = 1, .hi = bound};
}

}  // namespace flatout::analyse
