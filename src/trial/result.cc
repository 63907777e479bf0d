#include "trial/result.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyse/analyse.h"
#include "analyse/fact_reader.h"
#include "analyse/whatif.h"
#include "analyse/whatif_input.h"
#include "app/explain.h"
#include "apply/user_knob.h"
#include "run/facts.h"
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

// How many ranks take each step together; those on other machines, too.
int ranks_of(const run::Timeline& timeline, pid_t step_process) {
  const auto process = timeline.processes.find(step_process);
  if (process == timeline.processes.end()) return 1;
  const auto fact = analyse::rank_fact(process->second.facts);
  return fact && fact->world_size > 1 ? fact->world_size : 1;
}

// The steps of one rank, with the samples of all: ranks wait for each other in every
// step, and each draws a batch of its own, as a rule of the same size.
std::vector<apply::TimedStep> timed_steps(const analyse::Analysis& analysis, int ranks) {
  std::vector<apply::TimedStep> out;
  bool all_known = true;
  for (const auto& step : analysis.cut.steps) {
    all_known = all_known && step.samples && *step.samples > 0;
  }
  for (const auto& step : analysis.cut.steps) {
    out.push_back({.end_ns = step.end_ns,
                   .own_ns = step.own_ns,
                   .samples = all_known ? *step.samples * ranks : 1});
  }
  // The last is cut off where the trial ends, not where the step would.
  if (!out.empty()) out.pop_back();
  return out;
}

constexpr double kBusyShare =
    0.75;  // of the cores; from there on, processes get in each other's way

// What the hooks call it.
constexpr std::string_view kGradNormName = "flatout.grad_norm";

// loader -> batches -> hash.
std::map<int, std::map<int, std::string>> sample_orders(std::span<const run::Fact> facts) {
  std::map<int, std::map<int, std::string>> out;
  for (const run::Fact& fact : facts) {
    if (fact.key != run::facts::kIndices) continue;
    const auto said = nlohmann::json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (!said.is_object()) continue;
    const std::string hash = said.value("hash", "");
    if (!hash.empty()) out[said.value("loader", 0)][said.value("batches", 0)] = hash;
  }
  return out;
}

std::vector<double> numbers(const nlohmann::json& said, const char* key) {
  return said.value(key, std::vector<double>{});
}

// loader -> what came in its first epoch.
apply::SamplesByLoader samples_seen(std::span<const run::Fact> facts) {
  apply::SamplesByLoader out;
  for (const run::Fact& fact : facts) {
    if (fact.key != run::facts::kSamples) continue;
    const auto said = nlohmann::json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (!said.is_object()) continue;
    apply::SamplesSeen seen{.samples = said.value("samples", 0.0),
                            .repeats = said.value("repeats", 0.0),
                            .together = said.value("together", ""),
                            .rising = said.value("rising", 0.0),
                            .successors = said.value("successors", 0.0),
                            .quantiles = numbers(said, "quantiles"),
                            .rests = numbers(said, "rests")};
    apply::SamplesOfLoader& loader = out[said.value("loader", 0)];
    if (said.value("ended", false)) {
      loader.epoch = std::move(seen);
    } else {
      loader.first[said.value("batches", 0)] = std::move(seen);
    }
  }
  return out;
}

// What the program offers through flatout_knob_int, in the order in which it came up.
std::vector<run::DeclaredKnob> declared_knobs(const run::Timeline& timeline, pid_t step_process) {
  std::vector<run::DeclaredKnob> out;
  const auto process = timeline.processes.find(step_process);
  if (process == timeline.processes.end()) return out;
  for (const run::Fact& fact : process->second.facts) {
    if (fact.key != run::facts::kDeclaredKnob) continue;
    const auto said = nlohmann::json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (!said.is_object()) continue;
    try {
      run::DeclaredKnob knob{.name = said.at("name"),
                             .value = said.at("value"),
                             .least = said.at("least"),
                             .most = said.at("most")};
      const bool known = std::ranges::any_of(
          out, [&](const run::DeclaredKnob& other) { return other.name == knob.name; });
      if (apply::is_knob_name(knob.name) && !known) out.push_back(std::move(knob));
    } catch (const nlohmann::json::exception&) {
      continue;  // of another shape: it says nothing
    }
  }
  return out;
}

// As a framework said it before its loop began; of several trainings the last counts.
std::optional<std::uint64_t> training_steps(const run::Timeline& timeline, pid_t step_process) {
  std::optional<std::uint64_t> steps;
  const auto process = timeline.processes.find(step_process);
  if (process == timeline.processes.end()) return steps;
  for (const run::Fact& fact : process->second.facts) {
    if (fact.key != run::facts::kFramework) continue;
    const auto said = nlohmann::json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    if (!said.is_object()) continue;
    const auto told = said.find("steps");
    steps.reset();
    if (told != said.end() && told->is_number_unsigned()) steps = told->get<std::uint64_t>();
  }
  return steps;
}

std::map<std::int64_t, double> grad_norms(const std::vector<run::NamedValue>& values) {
  std::map<std::int64_t, double> out;
  for (const auto& value : values) {
    if (value.name == kGradNormName) out[value.step] = value.value;
  }
  return out;
}

// One loader whose fetches draw is enough. That none does is known only where each loader that
// trains was looked at: fetches of one with workers happen elsewhere.
std::optional<bool> fetch_draws(std::span<const run::Fact> facts,
                                const std::map<int, std::map<int, std::string>>& training) {
  std::map<int, bool> draws;
  for (const run::Fact& fact : facts) {
    if (fact.key != run::facts::kDraws) continue;
    const auto said = nlohmann::json::parse(fact.json, nullptr, /*allow_exceptions=*/false);
    const bool known = said.is_object() && said.contains("fetch_draws");
    if (!known || !said["fetch_draws"].is_boolean()) continue;
    draws[said.value("loader", 0)] |= said["fetch_draws"].get<bool>();
  }
  if (draws.empty()) return std::nullopt;
  if (std::ranges::any_of(draws, [](const auto& loader) { return loader.second; })) return true;
  const bool all = std::ranges::all_of(
      training, [&](const auto& loader) { return draws.contains(loader.first); });
  return all ? std::optional(false) : std::nullopt;
}

apply::LossEvidence loss_evidence(const run::Timeline& timeline, pid_t step_process,
                                  const LossSource& source, int accumulated) {
  apply::LossEvidence out;
  const auto process = timeline.processes.find(step_process);
  if (process == timeline.processes.end()) return out;
  out.losses = logged_losses(process->second.values, source, accumulated);
  out.grad_norms = grad_norms(process->second.values);
  try {
    out.sample_orders = sample_orders(process->second.facts);
    out.samples_seen = samples_seen(process->second.facts);
    out.fetch_draws = fetch_draws(process->second.facts, out.sample_orders);
  } catch (const nlohmann::json::exception&) {
    // A fact of another shape comes from the program's own process and says nothing.
    out.sample_orders.clear();
    out.samples_seen.clear();
    out.fetch_draws.reset();
  }
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
    out.device_share = device->others_utilization;
    out.throttled = device->throttled_thermal;
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
    out.steps = timed_steps(analysis, ranks_of(timeline, analysis.pid));
    const int accumulated = analysis.framework ? analysis.framework->accumulated.value_or(1) : 1;
    out.evidence = loss_evidence(timeline, analysis.pid, losses, accumulated);
    out.evidence.samples = loss_samples(analysis, out.evidence.losses.size());
    out.declared = declared_knobs(timeline, analysis.pid);
    out.memory = trial_memory(timeline);
    out.outside = outside_load(timeline, analysis);
    if (analysis.loader) {
      out.batch_size = whole(analysis.loader->fact.batch_size);
      out.dataset_samples = whole(analysis.loader->fact.dataset_len);
    }
    out.training_steps = training_steps(timeline, analysis.pid);
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
