// What if flatout's loading engine made the batches: the same replay of the run's own steps, with
// the engine's threads as workers that cost what was measured of them and hand over without a copy.
// They share the cores with the step as workers do.
#include <algorithm>
#include <cmath>

#include "analyse/whatif.h"

namespace flatout::analyse {
namespace {

constexpr int kMostReplayed = 256;   // that are replayed
constexpr double kDrawNs = 0.5e6;    // of Python: the sampler, and tensors over the engine's memory
constexpr double kMostBatch = 1e7;   // samples that a recording is believed
constexpr double kMaxCost = 3.6e12;  // of a batch: beyond an hour nothing is replayed
constexpr double kCpuSpread = 1.3;   // other pictures than those that were measured, other caches
constexpr double kWaitKept = 0.5;    // least part of the waiting that stays beside a training
constexpr double kOwnRecipe = 1.25;  // likewise of CPU time, where the transforms are not known

struct Cost {
  double cpu_ns = 0;  // of a batch
  double wait_ns = 0;
};

// A thread makes a sample in threads / rate; what of that is no CPU time, it waits.
Cost batch_cost(const run::EngineSpeed& speed, double samples) {
  const double cpu_ns = speed.cpu_ms * 1e6;
  const double wall_ns = 1e9 * speed.threads / speed.samples_per_s;
  return {.cpu_ns = cpu_ns * samples, .wait_ns = std::max(0.0, wall_ns - cpu_ns) * samples};
}

}  // namespace

std::optional<run::Speedup> WhatIf::engine(const run::EngineSpeed& speed) const {
  if (!calibration_error_ || std::abs(*calibration_error_) > kMaxCalibration) return std::nullopt;
  if (!batch_samples_ || !(*batch_samples_ >= 1) || *batch_samples_ > kMostBatch) {
    return std::nullopt;
  }
  if (!(speed.samples_per_s > 0) || !(speed.cpu_ms > 0) || speed.threads < 1) return std::nullopt;
  const Cost cost = batch_cost(speed, *batch_samples_);
  if (!(cost.cpu_ns + cost.wait_ns < kMaxCost)) return std::nullopt;

  LoopModel model = present_;
  const int threads = std::min(speed.threads, kMostReplayed);
  model.loader = {.workers = threads, .prefetch_factor = threads == 1 ? 2 : 1};
  model.ipc = {};
  model.batch_bytes = 0;
  model.draw_ns = kDrawNs;
  model.start = {};
  model.epoch_draws = 0;  // all threads work on an epoch's first batch: added below
  const double first_ns = present_.epoch_draws > 0 ? (cost.cpu_ns + cost.wait_ns) / threads /
                                                         static_cast<double>(present_.epoch_draws)
                                                   : 0;
  // It starts no processes, whatever the loader starts now.
  const double started_ns = present_.loader.workers > 0 ? epoch_.gap_ns : 0;
  const double now_ns = between_ns(present_.loader, 1);
  const double then_ns = epoch_.steps >= 1 ? now_ns - started_ns / epoch_.steps : 0;
  const double present_ns = present_ns_ + now_ns;
  const auto replay = [&](const LoopModel& on, double cpu, double wait,
                          std::span<const StepCost> steps) {
    const FetchCost fetch = {.cpu_ns = cost.cpu_ns * cpu, .wait_ns = cost.wait_ns * wait};
    const auto warm_up = steps.size() / 2 + 1;
    return simulate(on, {&fetch, 1}, steps, warm_up).step_ns + first_ns + then_ns;
  };
  const auto with = [&](double cpu, double wait, std::span<const StepCost> steps) {
    return replay(model, cpu, wait, steps);
  };
  const double best = present_ns / with(1, 1, steps_);
  if (!(best > 0) || !std::isfinite(best)) return std::nullopt;
  std::vector<double> ratios;
  ratios.reserve(replicas_.size());
  for (const Replica& replica : replicas_) {
    ratios.push_back((replica.present_ns + now_ns) / with(1, 1, replica.steps));
  }
  const double spread = kCpuSpread * (speed.size ? kOwnRecipe : 1);
  Doubt doubt = {
      .below = std::max(0.0, std::log(best * with(spread, 1, steps_) / present_ns)),
      .above = std::max(0.0, std::log(present_ns / best / with(1 / spread, kWaitKept, steps_)))};
  if (present_.others_cores > 0)
    doubt = doubt.and_also(shared_out(best, replay(beside_others(model), 1, 1, steps_)));
  return interval(best, ratios, doubt);
}

}  // namespace flatout::analyse
