#include "analyse/whatif_input.h"

#include <algorithm>
#include <cmath>

#include "analyse/stats.h"

namespace flatout::analyse {
namespace {

using run::Phase;

// What the device has to do comes as shares of the steady steps' own time: what it computes (not
// the phases in which it has nothing to do), and copies for which the host waits, in which it
// computes nothing as a rule. Spread over the steps it keeps the mean, which is what bounds the
// throughput.
std::int64_t device_ns_a_step(const Analysis& analysis) {
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  if (!busy) return 0;
  const double share = std::min(1.0, busy->share + analysis.share(Phase::kH2d));
  const auto steps = static_cast<double>(analysis.steady().size());
  return steps > 0 ? std::llround(share * static_cast<double>(analysis.steady_own_ns) / steps) : 0;
}

MeasuredStep measured_step(const Step& step, std::int64_t device_ns) {
  const std::int64_t compute = step.phase_ns(Phase::kForward) + step.phase_ns(Phase::kBackward) +
                               step.phase_ns(Phase::kOptimizer);
  const std::int64_t wait = step.phase_ns(Phase::kDataWait);
  return {.data_wait_ns = wait,
          .compute_ns = compute,
          .host_ns = step.own_ns - wait - compute,
          .device_ns = device_ns,
          .draws = step.draws};
}

// Others want as many cores as get what they used, if each of their tasks gets the share of a core
// that the step thread got. They are left out if they hardly kept it from one.
void add_others(const Analysis& analysis, WhatIfInput& input) {
  constexpr double kNotable = 0.10;  // as cpu_contention's warning
  const Contention& measured = analysis.contention;
  const CoreWait wait = core_wait(analysis);
  if (!wait.told_apart || wait.others < kNotable) return;
  const double got = std::min(1.0, measured.step_cores.value_or(1));
  if (!(got > 0)) return;
  const double share = got / (got + wait.own + wait.others);
  input.others_used = *measured.other_cores_here;
  input.others_cores = input.others_used / share;
  // One thread that computes counts as a core, whether or not it had one.
  if (input.compute_cores && *input.compute_cores <= 1) *input.compute_cores *= share;
}

constexpr double kMostDraws = 1e15;

std::optional<double> batch_samples(const LoaderStats& loader) {
  if (loader.batch_size && *loader.batch_size >= 1) return loader.batch_size;
  if (!(loader.samples > 0) || loader.batches.empty()) return std::nullopt;
  return loader.samples / static_cast<double>(loader.batches.size());
}

// Only draws that found their batch ready: all of that is the hand-over. `worker_fetching`: those
// whose worker was, or was not, at its next batch.
std::optional<double> handover_ns(const LoaderStats& loader, bool worker_fetching) {
  std::vector<double> ready;
  for (const Delivery& delivery : loader.deliveries) {
    if (delivery.wait_ns > 0 && delivery.ready_wait_ns == delivery.wait_ns &&
        delivery.worker_fetching == worker_fetching) {
      ready.push_back(static_cast<double>(delivery.wait_ns));
    }
  }
  return ready.size() >= kMinFetches ? median(ready) : std::nullopt;
}

// Above a usual one. With workers, their first fetches are among the others.
std::int64_t first_fetch_ns(const LoaderStats& loader) {
  if (!loader.in_step_thread || !loader.first_fetch_cpu_ns) return 0;
  std::vector<double> usual;
  for (const BatchCost& batch : loader.batches) usual.push_back(static_cast<double>(batch.cpu_ns));
  const auto middle = median(usual);
  if (!middle) return 0;
  return std::max<std::int64_t>(0, *loader.first_fetch_cpu_ns - std::llround(*middle));
}

// Epochs that began again count, else the first.
EpochCost epoch_cost(const Analysis& analysis, double draws_a_step) {
  const Epochs& epochs = analysis.epochs;
  EpochCost out;
  const double by_length =
      draws_a_step > 0 ? static_cast<double>(epoch_draws(analysis)) / draws_a_step : 0;
  out.steps = epochs.steps(analysis.cut.steps.size()).value_or(by_length);
  out.whole_run = analysis.ended_by_itself;
  out.gap_ns = static_cast<double>(epochs.first_build_ns);
  if (epochs.begins.size() < 2) return out;
  out.restarts = static_cast<int>(epochs.begins.size()) - 1;
  std::int64_t gaps = 0;
  std::int64_t evaluations = 0;
  for (std::size_t i = epochs.begins.front() + 1; i <= epochs.begins.back(); ++i) {
    gaps += epochs.between[i].epoch_gap_ns;
    evaluations += epochs.between[i].eval_ns;
  }
  std::int64_t waits = 0;
  for (std::size_t k = 1; k < epochs.begins.size(); ++k) {
    waits += analysis.cut.steps[epochs.begins[k]].phase_ns(Phase::kDataWait);
  }
  out.gap_ns = static_cast<double>(gaps) / out.restarts;
  out.eval_ns = static_cast<double>(evaluations) / out.restarts;
  out.first_wait_ns = static_cast<double>(waits) / out.restarts;
  return out;
}

}  // namespace

std::int64_t epoch_draws(const Analysis& analysis) {
  if (!analysis.loader) return 0;
  const run::LoaderFact& fact = *analysis.loader;
  const auto samples = fact.epoch_samples ? fact.epoch_samples
                       : fact.dataset_len ? std::optional(*fact.dataset_len / analysis.world_size)
                                          : std::nullopt;
  if (!samples || !fact.batch_size || *fact.batch_size < 1) return 0;
  const double draws = std::ceil(*samples / *fact.batch_size);
  return draws >= 1 && draws <= kMostDraws ? std::llround(draws) : 0;
}

WhatIfInput what_if_input(const Analysis& analysis) {
  WhatIfInput input;
  input.cores = analysis.cpus;
  input.compute_cores = analysis.compute_cores;
  add_others(analysis, input);
  const std::int64_t device_ns = device_ns_a_step(analysis);
  for (const Step& step : analysis.steady()) input.steps.push_back(measured_step(step, device_ns));
  if (!analysis.loader || !analysis.loader->num_workers) return input;
  const LoaderStats& loader = *analysis.loader;
  input.present = run::LoaderSetting{.workers = *loader.num_workers,
                                     .prefetch_factor = loader.prefetch_factor.value_or(2)};
  const double delay_share = loader.fetch_run_delay.value_or(0);
  for (const BatchCost& batch : loader.batches) {
    const auto guess = std::llround(delay_share * static_cast<double>(batch.wall_ns()));
    input.fetches.push_back({.wall_ns = batch.wall_ns(),
                             .cpu_ns = batch.cpu_ns,
                             .delay_ns = batch.run_delay_ns.value_or(guess)});
  }
  input.handover_ns = handover_ns(loader, false);
  input.held_handover_ns = handover_ns(loader, true);
  input.batch_bytes = loader.batch_bytes;
  input.batch_samples = batch_samples(loader);
  double draws = 0;
  for (const Step& step : analysis.steady()) draws += step.draws;
  if (!analysis.steady().empty()) draws /= static_cast<double>(analysis.steady().size());
  input.epoch = epoch_cost(analysis, draws);
  // An epoch that the program leaves early is as long as it was seen to be.
  input.epoch_draws =
      input.epoch.restarts > 0 ? std::llround(input.epoch.steps * draws) : epoch_draws(analysis);
  input.persistent_workers = loader.persistent_workers.value_or(false);
  input.first_fetch_ns = first_fetch_ns(loader);
  return input;
}

}  // namespace flatout::analyse
