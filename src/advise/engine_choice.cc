#include "advise/engine_choice.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "run/knob_table.h"

namespace flatout::advise {
namespace {

constexpr double kClearly = 2;  // times the rate of the loader as it is

std::string rate(const run::EngineSpeed& speed) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f samples/s of these files", speed.samples_per_s);
  return text;
}

// A loader that has a native form gets the knob's own value. What a library builds has no line of
// the program in which another class could stand.
run::Advice fitting(const run::LoaderReport& loader, const std::optional<run::EngineSpeed>& speed) {
  run::Advice advice = loader_argument(loader, kEngine, "\"torch\"", "\"native\"");
  if (loader.built_by.empty()) {
    advice.how += " (from flatout.torch import DataLoader)";
  } else {
    advice.how = "dataloader.engine = \"native\" below [knobs] in a file: flatout run --plan FILE";
  }
  if (speed) advice.how += ": " + rate(*speed);
  return advice;
}

// This is for a dataset of the program whose files are pictures. What its own code makes of them is
// not known, so there is no line that trains the same: a number, called what it is.
run::Advice estimated(const run::LoaderReport& loader, const run::EngineSpeed& speed) {
  const auto [height, width] = *speed.size;
  return by_hand("dataset.engine",
                 "an estimate, not a line to paste: flatout's engine makes " + rate(speed) +
                     ", cropped at random to " + std::to_string(height) + " x " +
                     std::to_string(width) +
                     "; what else this Dataset does to them is yours to write in its terms "
                     "(docs/data.md)",
                 loader.built_at);
}

bool clearly_faster(const run::EngineSpeed& speed, const run::LoaderReport& loader) {
  return loader.max_samples_per_s && speed.samples_per_s >= kClearly * *loader.max_samples_per_s;
}

std::string why_no_gain(const run::Report& report, const run::LoaderReport& loader, bool storage) {
  if (storage) return "; how much it helps depends on how fast the storage is";
  if (!loader.engine_measured) return "; how much it gains was not measured";
  const std::string& skipped = loader.engine_measured->skipped;
  if (!skipped.empty()) return "; how much it gains was not measured: " + skipped;
  const std::string few = too_few_steps(report);
  return "; not sure how much it gains" +
         (few.empty() ? ": the model does not match these steps" : ", " + few);
}

bool sets_workers(const run::Advice& advice) {
  const run::KnobFacts* facts = run::knob_facts(advice.knob);
  return facts != nullptr && facts->counts == run::KnobCounts::kWorkers;
}

}  // namespace

std::optional<run::Advice> engine_advice(const Question& question, const run::LoaderReport& loader,
                                         bool storage) {
  if (!loader.engine.empty() || loader.native_refusal != "") return std::nullopt;
  const auto speed = loader.engine_measured ? loader.engine_measured->speed : std::nullopt;
  run::Advice advice = fitting(loader, speed);
  if (speed && !storage) advice.predicted = question.predictor.engine(*speed);
  if (!worth_it(advice.predicted)) return std::nullopt;
  if (!advice.predicted) advice.how += why_no_gain(question.report, loader, storage);
  advice.risk = run::Risk::kRounding;
  advice.other_draws = true;
  return advice;
}

std::optional<run::Advice> engine_estimate(const Question& question,
                                           const run::LoaderReport& loader, bool storage) {
  if (!loader.engine.empty() || loader.native_refusal) return std::nullopt;
  const auto speed = loader.engine_measured ? loader.engine_measured->speed : std::nullopt;
  if (!speed || !speed->size) return std::nullopt;
  run::Advice advice = estimated(loader, *speed);
  const auto gain = storage ? std::nullopt : question.predictor.engine(*speed);
  if (!worth_it(gain)) return std::nullopt;
  // Nobody works for what nobody can say, unless the two rates say enough.
  if (!gain && (storage || !clearly_faster(*speed, loader))) return std::nullopt;
  if (gain) {
    // The steps that were left out cost time as well.
    advice.predicted = run::Speedup{.ratio = gain->hi, .lo = 1, .hi = gain->hi};
    advice.how += ": at most this";
  } else {
    advice.how += why_no_gain(question.report, loader, storage);
  }
  advice.risk = run::Risk::kRounding;
  advice.other_draws = true;
  return advice;
}

void add_by_gain(Answer& answer, run::Advice engine) {
  const auto less = [&](const run::Advice& other) {
    return engine.predicted &&
           (!other.predicted || other.predicted->ratio <= engine.predicted->ratio);
  };
  const auto place = std::ranges::find_if(answer, less);
  const bool after_workers = std::any_of(answer.begin(), place, sets_workers);
  if (after_workers) engine.how += "; instead of more workers, for it starts none";
  for (auto other = place; other != answer.end(); ++other) {
    if (sets_workers(*other)) other->how += " instead, without the engine";
  }
  answer.insert(place, std::move(engine));
}

}  // namespace flatout::advise
