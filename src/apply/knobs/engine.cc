// dataloader.engine: who makes the batches of a loader of pictures. The same samples in the same
// order; those that are augmented are augmented from a different random stream, by the same
// distribution.
#include "apply/knobs/knob.h"
#include "apply/proposals.h"

namespace flatout::apply {
namespace {

// Where its speed was not measured. Before more workers, which it would make needless: threads that
// decode and crop in one pass outdid the best number of workers wherever that was measured
// (docs/knobs/dataloader.engine.md).
constexpr double kSupposedGain = 3;

// From its speed on these files. A prediction of no gain does not stand between it and a trial.
std::optional<run::Speedup> predicted(const Situation& now, const run::LoaderReport& loader) {
  if (now.predictor == nullptr || !loader.engine_measured || !loader.engine_measured->speed) {
    return std::nullopt;
  }
  return now.predictor->engine(*loader.engine_measured->speed);
}

Proposal propose_engine(const Situation& now) {
  const auto& loader = now.report.loader;
  if (!loader) return {.why_not = "no DataLoader was seen to feed the steps", .impossible = true};
  if (!loader->engine.empty())
    return {.why_not = "it is " + loader->engine + " already", .impossible = true};
  if (!loader->native_refusal)
    return {.why_not = "the dataset is none of pictures in folders or tar shards",
            .impossible = true};
  if (!loader->native_refusal->empty())
    return {.why_not = *loader->native_refusal, .impossible = true};
  if (!has_finding(now.report, "input_bound")) return {.why_not = "no finding asks for it"};
  Proposal out = proposed_for_finding(now.report, "input_bound", "\"native\"", "\"torch\"");
  Candidate& native = out.candidates.front();
  const auto gain = predicted(now, *loader);
  if (gain && gain->ratio > kUnknownGain) {
    native.predicted = gain;
  } else if (!gain) {
    native.supposed_gain = kSupposedGain;
  }
  return out;
}

std::string present_engine(const run::Report& report) {
  if (!report.loader) return "";
  return report.loader->engine.empty() ? "\"torch\"" : "\"" + report.loader->engine + "\"";
}

}  // namespace

const Knob& dataloader_engine() {
  static const Knob knob = declared(run::knob_id::kDataloaderEngine,
                                    {.propose = propose_engine, .present = present_engine});
  return knob;
}

}  // namespace flatout::apply
