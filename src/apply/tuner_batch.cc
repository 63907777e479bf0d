// The search for a batch size in the tuning loop: after all other knobs, on top of what
// was kept, and only where --risk allows to change the training.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include "apply/batch_search.h"
#include "apply/tuner_loop.h"

namespace flatout::apply {

using base::Result;

namespace {

constexpr std::size_t kColdSteps = 3;  // of a probe: lazy initialisation, first batches
constexpr std::size_t kFewestTimed = 3;
constexpr double kLossesWanted = 16;  // of the candidate, over the samples of the program's trials
constexpr std::uint64_t kMostGateSteps = 2000;
constexpr double kOtherSize = 1.1;  // of the present, from which a size is worth a comparison

// Median of the steps that hold whole batches, after the first ones.
std::optional<double> step_seconds(const TrialResult& trial) {
  double whole = 0;
  for (const TimedStep& step : trial.steps) whole = std::max(whole, step.samples);
  std::vector<std::int64_t> own;
  for (std::size_t i = kColdSteps; i < trial.steps.size(); ++i) {
    const TimedStep& step = trial.steps[i];
    if (step.samples < whole) continue;
    own.push_back(step.own_ns);
  }
  if (own.size() < kFewestTimed) return std::nullopt;
  std::ranges::nth_element(own, own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2));
  return static_cast<double>(own[own.size() / 2]) / 1e9;
}

bool on_device(const TrialMemory& memory) { return memory.device_peak_bytes.has_value(); }

std::optional<double> peak_of(const TrialMemory& memory, bool device) {
  const auto& peak = device ? memory.device_peak_bytes : memory.host_peak_bytes;
  return peak ? std::optional(static_cast<double>(*peak)) : std::nullopt;
}

std::string bytes_text(double bytes) {
  char text[40];
  if (std::abs(bytes) < 1e6) {
    std::snprintf(text, sizeof text, "%.1f kB", bytes / 1e3);
  } else if (std::abs(bytes) < 1e9) {
    std::snprintf(text, sizeof text, "%.4g MB", bytes / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.4g GB", bytes / 1e9);
  }
  return text;
}

std::string ms_text(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  return text;
}

std::string search_note(const BatchSearch& found, bool device, const std::optional<double>& limit) {
  std::string text = "batch size:";
  if (found.peak_bytes) {
    text += " peak memory " + bytes_text(found.peak_bytes->at_zero) + " + " +
            bytes_text(found.peak_bytes->per_sample) + " a sample (" +
            (device ? "device" : "host") + ", +- " + bytes_text(found.peak_bytes->deviation) + ")";
    if (limit) text += " of " + bytes_text(*limit);
    text += ";";
  }
  if (found.maximum) {
    text += " the largest that fits is " + std::to_string(*found.maximum) +
            (found.maximum_tried ? ", which a trial ran;"
                                 : " by that, not tried: it would take too long;");
  }
  if (found.step_s) {
    text += " a step takes " + ms_text(found.step_s->at_zero) + " + " +
            ms_text(found.step_s->per_sample) + " a sample;";
  }
  text += found.knee ? " the knee is at " + std::to_string(*found.knee)
                     : " no other size is worth a comparison";
  return text;
}

std::optional<run::Speedup> promised(const BatchSearch& found, std::int64_t present,
                                     std::int64_t to) {
  if (!found.step_s) return std::nullopt;
  const auto rate = [&](std::int64_t size) {
    return static_cast<double>(size) / found.step_s->at(static_cast<double>(size));
  };
  const double ratio = rate(to) / rate(present);
  if (!(ratio > 0) || !std::isfinite(ratio)) return std::nullopt;
  const double share = std::min(2 * found.step_s->deviation, 0.9);
  return run::Speedup{ratio, ratio * (1 - share), ratio * (1 + share)};
}

}  // namespace

// One trial at a size; nothing where it is over.
Result<std::optional<BatchTrial>> Tuner::try_batch(std::int64_t size, std::uint64_t steps,
                                                   bool device) {
  if (!enough_time(1)) return std::optional<BatchTrial>{};
  TrialSpec spec;
  spec.knobs = with(stack_, {batch_size().id, std::to_string(size)});
  spec.steps = steps;
  if (!device && now_.memory.host_limit_bytes) {
    // What is mapped and never touched is no reason to fail.
    const auto untouched =
        now_.memory.host_data_bytes.value_or(0) - now_.memory.host_peak_bytes.value_or(0);
    spec.data_limit_bytes = *now_.memory.host_limit_bytes + std::max<std::int64_t>(0, untouched);
  }
  auto result = start(std::move(spec), "batch size " + std::to_string(size));
  if (!result) return std::unexpected(result.error());
  if (runner_.interrupted()) return std::optional<BatchTrial>{};
  BatchTrial out;
  out.size = size;
  const auto outcome = std::ranges::find(result->outcomes, batch_size().id,
                                         [](const auto& knob) { return knob.asked.knob; });
  if (outcome != result->outcomes.end() && !outcome->applied && result->failure.empty()) {
    out.outcome = BatchTrial::Outcome::kRefused;
    out.reason = outcome->reason;
  } else if (!result->failure.empty()) {
    out.outcome =
        result->out_of_memory ? BatchTrial::Outcome::kOutOfMemory : BatchTrial::Outcome::kFailed;
    out.reason = result->failure;
  }
  out.peak_bytes = peak_of(result->memory, device);
  out.step_s = step_seconds(*result);
  batch_runs_.push_back(result->run);
  return std::optional(std::move(out));
}

bool Tuner::changes_training(const Stack& stack) const {
  return std::ranges::any_of(stack, [](const run::KnobSetting& setting) {
    const Knob* knob = find_knob(setting.knob);
    return knob != nullptr && knob->changes == KnobChanges::kTraining;
  });
}

Result<void> Tuner::try_training_seeds(const Stack& stack, std::uint64_t steps) {
  training_seeds_ = {.stack = stack, .steps = steps, .evidence = {}};
  TrialSpec spec;
  spec.knobs = stack;
  spec.steps = steps;
  spec.timeout_ns = trial_timeout_ns(stack, steps);
  for (; spec.seed_shift < kSeeds && enough_time(1); ++spec.seed_shift) {
    auto trial =
        start(spec, (stack.empty() ? "baseline" : "what was kept") + std::string(", three seeds"));
    if (!trial) return std::unexpected(trial.error());
    if (runner_.interrupted() || !trial->failure.empty()) break;
    training_seeds_.evidence.push_back(std::move(trial->evidence));
  }
  return {};
}

// Over the same samples the program takes as many more steps as its batches are smaller:
// its trials are as long as enough losses of the candidate need. Other knobs than the
// batch's size leave an update its samples.
Result<void> Tuner::hold_training_to_its_loss(const Stack& candidate, run::TuneTrial& row) {
  const auto of_candidate = arms_.evidence(candidate);
  if (of_candidate.empty()) return {};
  std::uint64_t steps = enough_steps(stack_);
  const Knob* knob = find_knob(row.knob);
  const bool sized =
      knob != nullptr && knob->counts == run::KnobCounts::kSamples && now_.batch_size;
  const double longer =
      sized ? std::max(1.0, std::stod(row.to) / static_cast<double>(*now_.batch_size)) : 1.0;
  if (!options_.steps) {
    const auto wanted = static_cast<std::uint64_t>(kLossesWanted * longer);
    steps = std::max(steps, std::min(wanted, kMostGateSteps));
  }
  if (auto tried = try_training_seeds(stack_, steps); !tried) return tried;
  const std::span<const LossEvidence> seen = training_seeds_.evidence;
  const GateOpinion opinion =
      seen.empty()
          ? GateOpinion{run::LossGate::kInconclusive, "no trial without it"}
          : judge_loss(KnobChanges::kTraining, seen.first(1), seen.subspan(1), of_candidate.back());
  row.loss_gate = opinion.gate;
  row.kept = opinion.gate == run::LossGate::kPassed;
  if (!row.kept) row.reason = opinion.reason;
  return {};
}

// True where a size was kept.
Result<bool> Tuner::search_batch_size() {
  const Knob& knob = batch_size();
  if (!may_use(knob, limits()) || runner_.interrupted()) return false;
  if (!enough_time(1)) {
    out_.budget_ended = true;
    return false;
  }
  const auto skip = [&](const std::string& why) {
    run::TuneTrial row;
    row.knob = batch_size().id;
    row.reason = why;
    row.runs = batch_runs_;
    std::erase_if(out_.skipped,
                  [](const run::TuneTrial& old) { return old.knob == batch_size().id; });
    out_.skipped.push_back(std::move(row));
    return false;
  };
  if (!now_.batch_size) return skip("no DataLoader with a batch size was seen to feed the steps");
  if (auto measured = need_baseline_of_trials(); !measured) {
    return std::unexpected(measured.error());
  }
  const bool device = on_device(now_.memory);
  BatchSearchInput input;
  input.present = {.size = *now_.batch_size,
                   .peak_bytes = peak_of(now_.memory, device),
                   .step_s = step_seconds(now_)};
  const auto& limit = device ? now_.memory.device_limit_bytes : now_.memory.host_limit_bytes;
  if (limit) input.limit_bytes = static_cast<double>(*limit);
  if (device && now_.memory.device_reserved_peak_bytes) {
    input.unusable_bytes = static_cast<double>(*now_.memory.device_reserved_peak_bytes -
                                               *now_.memory.device_peak_bytes);
  }
  input.most = now_.dataset_samples;
  const auto found = search_batch(input, [&](std::int64_t size, std::uint64_t steps) {
    return try_batch(size, steps, device);
  });
  if (!found) return std::unexpected(found.error());
  if (runner_.interrupted()) return false;
  if (!found->refusal.empty()) return skip("not applied: " + found->refusal);
  for (const BatchTrial& trial : found->trials) {
    if (trial.outcome == BatchTrial::Outcome::kTrained) continue;
    out_.notes.push_back("batch size " + std::to_string(trial.size) +
                         (trial.outcome == BatchTrial::Outcome::kOutOfMemory ? " does not fit: "
                                                                             : " does not run: ") +
                         trial.reason);
  }
  if (found->trials.size() > 1)
    out_.notes.push_back(search_note(*found, device, input.limit_bytes));
  if (!found->knee) return skip(found->why_no_knee);
  if (!enough_time(2)) return skip("no time was left to compare " + std::to_string(*found->knee));
  return compare_batch(knob, *found);
}

// The program ends before a trial of large batches has steps enough: once more at the largest size
// of which it makes as many as a trial needs.
Result<bool> Tuner::compare_batch(const Knob& knob, const BatchSearch& found) {
  auto compared = compare_size(knob, found, *found.knee);
  if (!compared) return std::unexpected(compared.error());
  if (compared->few_steps == 0) return compared->kept;
  const auto samples = static_cast<std::int64_t>(compared->few_steps) * *found.knee;
  const std::int64_t size =
      samples / static_cast<std::int64_t>(kFewestSteps + 1) / kSizeStep * kSizeStep;
  if (static_cast<double>(size) < kOtherSize * static_cast<double>(*now_.batch_size)) return false;
  out_.notes.push_back("of batches of " + std::to_string(*found.knee) + " the program makes " +
                       std::to_string(compared->few_steps) +
                       " steps in all, too few to compare: " + std::to_string(size) + " is tried");
  compared = compare_size(knob, found, size);
  if (!compared) return std::unexpected(compared.error());
  return compared->kept;
}

Result<Tuner::SizeVerdict> Tuner::compare_size(const Knob& knob, const BatchSearch& found,
                                               std::int64_t size) {
  const auto false_keep = budget_.next();
  if (!false_keep) return SizeVerdict{};
  const std::int64_t present = *now_.batch_size;
  Proposed proposed{.knob = &knob,
                    .candidate = {.value = std::to_string(size),
                                  .from = std::to_string(present),
                                  .predicted = promised(found, present, size),
                                  .confidence = 1}};
  if (found.step_s) {
    batch_step_ratio_ = found.step_s->at(static_cast<double>(size)) /
                        found.step_s->at(static_cast<double>(present));
  }
  tried_.insert({batch_size().id, proposed.candidate.value});
  auto verdict = compare_with(proposed, *false_keep);
  if (!verdict) return std::unexpected(verdict.error());
  if (verdict->row.reason == "interrupted") return SizeVerdict{};
  if (!verdict->looked) budget_.give_back();
  std::erase_if(out_.skipped,
                [](const run::TuneTrial& old) { return old.knob == batch_size().id; });
  out_.trials.push_back(verdict->row);
  const SizeVerdict result = {.kept = verdict->row.kept, .few_steps = verdict->few_steps};
  if (verdict->best) {
    std::string effect = "batch size: the effective batch grows from " + std::to_string(present) +
                         " to " + std::to_string(size) + " a rank";
    for (const auto& outcome : verdict->best->outcomes) {
      if (outcome.asked.knob == batch_size().id && !outcome.effect.empty())
        effect += ", " + outcome.effect;
    }
    out_.notes.push_back(effect);
  }
  if (result.kept) keep(proposed, std::move(*verdict));
  listener_.decided(out_.trials.back());
  return result;
}

}  // namespace flatout::apply
