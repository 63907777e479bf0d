#include "trial/result.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyse/analyse.h"
#include "analyse/facts.h"
#include "analyse/whatif.h"
#include "analyse/whatif_input.h"
#include "app/explain.h"
#include "apply/user_knob.h"
#include "trial/memory.h"

namespace flatout::trial {
namespace {

// How it ended, where that was no good end; "" else.
std::string bad_end(const run::Timeline& timeline) {
  if (!timeline.end) return "its recording has no end";
  if (timeline.end->signal != 0) {
    const char* name = ::sigabbrev_np(timeline.end->signal);
    return name != nullptr ? "died by SIG" + std::string(name)
                           : "died by signal " + std::to_string(timeline.end->signal);
  }
  if (timeline.end->exit_code == 0) return "";
  return "exit status " + std::to_string(timeline.end->exit_code);
}

// The steps of one rank, with the samples of all: ranks wait for each other in every
// step, and each draws a batch of its own, as a rule of the same size.
std::vector<apply::TimedStep> timed_steps(const analyse::Analysis& analysis) {
  const analyse::Epochs& epochs = analysis.epochs;
  std::vector<apply::TimedStep> out;
  bool all_known = true;
  for (const auto& step : analysis.cut.steps) {
    all_known = all_known && step.samples && *step.samples > 0;
  }
  for (const auto& step : analysis.cut.steps) {
    out.push_back({.end_ns = step.end_ns,
                   .own_ns = step.own_ns,
                   .samples = all_known ? *step.samples * analysis.world_size : 1,
                   .wait_ns = step.phase_ns(run::Phase::kDataWait)});
    const analyse::Between& between = epochs.between[out.size() - 1];
    out.back().epoch_gap_ns = between.epoch_gap_ns;
    out.back().eval_ns = between.eval_ns;
  }
  for (const std::size_t step : epochs.begins) out[step].begins_epoch = true;
  // The last is cut off where the trial ends, not where the step would.
  if (!out.empty() && !epochs.last_step_whole) out.pop_back();
  return out;
}

// By the loader's length; a step may draw several batches.
apply::EpochFacts epoch_facts(const analyse::Analysis& analysis) {
  apply::EpochFacts out{.loader_steps = 0, .first_build_ns = analysis.epochs.first_build_ns};
  const auto draws = static_cast<double>(analyse::epoch_draws(analysis));
  double drawn = 0;
  for (const auto& step : analysis.cut.steps) drawn += step.draws;
  if (draws > 0 && drawn > 0) {
    const double a_step = drawn / static_cast<double>(analysis.cut.steps.size());
    out.loader_steps = draws / a_step;
  }
  return out;
}

constexpr double kBusyShare =
    0.75;  // of the cores; from there on, processes get in each other's way

// What the hooks call it.
constexpr std::string_view kGradNormName = "flatout.grad_norm";

// loader -> batches -> hash.
std::map<int, std::map<int, std::string>> sample_orders(const run::Observed& said) {
  std::map<int, std::map<int, std::string>> out;
  for (const run::IndicesFact& order : said.indices) out[order.loader][order.batches] = order.hash;
  return out;
}

// loader -> what came in its first epoch.
apply::SamplesByLoader samples_seen(const run::Observed& said) {
  apply::SamplesByLoader out;
  for (const run::SamplesFact& one : said.samples) {
    apply::SamplesSeen seen{.samples = one.samples,
                            .repeats = one.repeats,
                            .together = one.together,
                            .rising = one.rising,
                            .successors = one.successors,
                            .quantiles = one.quantiles,
                            .rests = one.rests};
    apply::SamplesOfLoader& loader = out[one.loader];
    if (one.ended) {
      loader.epoch = std::move(seen);
    } else {
      loader.first[one.batches] = std::move(seen);
    }
  }
  return out;
}

// What the program offers through flatout_knob_int, in the order in which it came up.
std::vector<run::DeclaredKnob> declared_knobs(const run::Observed& said) {
  std::vector<run::DeclaredKnob> out;
  for (const run::DeclaredKnobFact& knob : said.declared_knobs) {
    const bool known = std::ranges::find(out, knob.name, &run::DeclaredKnob::name) != out.end();
    if (!apply::is_knob_name(knob.name) || known) continue;
    out.push_back({.name = knob.name, .value = knob.value, .least = knob.least, .most = knob.most});
  }
  return out;
}

// As a framework said it before its loop began; of several trainings the last counts.
std::optional<std::uint64_t> training_steps(const run::Observed& said) {
  const run::FrameworkFact* framework = run::latest_of(said.frameworks);
  return framework != nullptr ? framework->steps : std::nullopt;
}

std::map<std::int64_t, double> grad_norms(const run::Records<run::NamedValue>& values) {
  std::map<std::int64_t, double> out;
  for (const auto& value : values) {
    if (value.name == kGradNormName) out[value.step] = value.value;
  }
  return out;
}

// One loader whose fetches draw is enough. That none does is known only where each loader that
// trains was looked at: fetches of one with workers happen elsewhere.
std::optional<bool> fetch_draws(const run::Observed& said,
                                const std::map<int, std::map<int, std::string>>& training) {
  std::map<int, bool> draws;
  for (const run::DrawsFact& seen : said.draws) draws[seen.loader] |= seen.fetch_draws;
  if (draws.empty()) return std::nullopt;
  if (std::ranges::any_of(draws, [](const auto& loader) { return loader.second; })) return true;
  const bool all = std::ranges::all_of(
      training, [&](const auto& loader) { return draws.contains(loader.first); });
  return all ? std::optional(false) : std::nullopt;
}

apply::LossEvidence loss_evidence(const run::ProcessTrack& process, const LossSource& source,
                                  int accumulated) {
  const run::Observed& said = process.facts.observed();
  apply::LossEvidence out;
  out.losses = logged_losses(process.values, source, accumulated);
  out.grad_norms = grad_norms(process.values);
  out.sample_orders = sample_orders(said);
  out.samples_seen = samples_seen(said);
  out.fetch_draws = fetch_draws(said, out.sample_orders);
  return out;
}

// What others used counts where no core was to spare: beside idle ones it takes nothing. With
// a part of the machine only, nobody sees which cores others use.
apply::OutsideLoad outside_load(const run::Timeline& timeline, const analyse::Analysis& analysis) {
  apply::OutsideLoad out;
  const auto& cores = analysis.contention;
  const double cpus = analysis.cpus;
  if (cpus > 0 && timeline.info.cpu_limit == 0 && cores.other_cores && cores.run_cores) {
    const bool busy = *cores.other_cores + *cores.run_cores > kBusyShare * cpus;
    out.cpu_share = busy ? std::min(1.0, *cores.other_cores / cpus) : 0;
  }
  if (const auto* device = analysis.device()) {
    out.device_share = device->others.utilization;
    out.throttled = device->throttled.thermal;
  }
  return out;
}

std::optional<std::int64_t> whole(std::optional<double> count) {
  if (!count || !(*count >= 1 && *count < 1e15)) return std::nullopt;
  return static_cast<std::int64_t>(*count);
}

}  // namespace

apply::TrialResult trial_result(const run::Timeline& timeline, const LossSource& losses) {
  apply::TrialResult out;
  out.run = timeline.info.id;
  out.wall_ns = (timeline.end ? timeline.end->t_ns : timeline.last_ns) - timeline.info.started_ns;
  out.failure = bad_end(timeline);
  bool without_torch = false;
  try {
    const analyse::Analysis analysis = analyse::measure(timeline);
    out.report = app::explain(timeline, analysis, {});
    out.predictor = std::make_shared<analyse::WhatIf>(analyse::what_if_input(analysis));
    out.steps = timed_steps(analysis);
    out.epochs = epoch_facts(analysis);
    const int accumulated =
        analysis.framework ? analyse::accumulated(*analysis.framework).value_or(1) : 1;
    if (const auto process = timeline.processes.find(analysis.pid);
        process != timeline.processes.end()) {
      const run::Observed& said = process->second.facts.observed();
      out.evidence = loss_evidence(process->second, losses, accumulated);
      out.declared = declared_knobs(said);
      out.training_steps = training_steps(said);
    }
    out.evidence.samples = loss_samples(analysis, out.evidence.losses.size());
    out.memory = trial_memory(timeline);
    out.outside = outside_load(timeline, analysis);
    if (analysis.loader) {
      out.batch_size = whole(analysis.loader->batch_size);
      out.dataset_samples = whole(analysis.loader->dataset_len);
    }
    without_torch = analysis.no_steps == analyse::NoSteps::kNoTorch;
  } catch (const std::exception& problem) {
    out.failure = std::string("the analysis failed: ") + problem.what();
    return out;
  }
  out.outcomes = out.report.knobs;
  if (out.report.loader) out.workers = out.report.loader->workers;
  if (out.failure.empty() && out.steps.empty()) {
    out.failure = "no steps were seen: " + out.report.verdict.summary;
    if (out.failure.ends_with('.')) out.failure.pop_back();
    if (without_torch) {
      out.failure +=
          "; a program of another kind says each step by flatout_step_end, see "
          "docs/c-programs.md";
    }
  }
  return out;
}

}  // namespace flatout::trial
