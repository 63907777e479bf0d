// The step waits for data. Workers hide the fetch behind the step; where the
// cores are the limit they cannot, and only cheaper samples help: those of the loading engine,
// whose speed was measured. How much cheaper others become nobody knows before it is done, so that
// advice carries no number.
#include <algorithm>
#include <string>

#include "advise/engine_choice.h"
#include "advise/native_engine.h"
#include "advise/rule.h"
#include "advise/sample_cost.h"
#include "advise/workers.h"

namespace flatout::advise {
namespace {

constexpr double kStarved = 0.75;       // of the gain that never waiting would give
constexpr double kMinCopyShare = 0.01;  // of the step, for pinned memory to matter

run::Advice workers_advice(const run::Finding& finding, const run::LoaderReport& loader,
                           const WorkerChoice& choice) {
  run::Advice advice = loader_argument(loader, kNumWorkers, std::to_string(loader.workers),
                                       std::to_string(choice.setting.workers));
  if (run::detail_of<run::InputDetail>(finding).waits_for_storage) {
    advice.how += ": how much it helps depends on how many reads the storage serves at once";
  } else {
    advice.predicted = choice.predicted;
  }
  advice.other_draws = true;  // each worker has random streams of its own
  if (loader.iterable.value_or(false)) {
    advice.risk = run::Risk::kChangesTraining;
    advice.how +=
        ", and shard the IterableDataset by torch.utils.data.get_worker_info(): "
        "else every worker repeats all of it";
  }
  return advice;
}

run::Advice prefetch_advice(const run::LoaderReport& loader, const WorkerChoice& choice) {
  run::Advice advice = loader_argument(loader, kPrefetchFactor,
                                       std::to_string(present_setting(loader).prefetch_factor),
                                       std::to_string(choice.setting.prefetch_factor));
  advice.predicted = choice.predicted;
  if (choice.setting.workers != loader.workers) {
    advice.how += " once num_workers=" + std::to_string(choice.setting.workers);
  }
  return advice;
}

// The best that any loader could do is never to be waited for.
bool still_starved(const run::Report& report, double gain) {
  if (!report.steps) return false;
  const auto& phases = report.steps->phases;
  const auto wait = phases.find("data_wait");
  return wait != phases.end() && gain * (1 - wait->second) < kStarved;
}

std::optional<run::Advice> pinning(const Question& question, const run::LoaderReport& loader) {
  const bool cuda = std::ranges::any_of(question.report.devices,
                                        [](const auto& device) { return device.kind == "cuda"; });
  if (!cuda || loader.pin_memory.value_or(true) || !question.report.steps) return std::nullopt;
  const auto& phases = question.report.steps->phases;
  const auto copy = phases.find("h2d");
  if (copy == phases.end() || copy->second < kMinCopyShare) return std::nullopt;
  run::Advice advice = loader_argument(loader, kPinMemory, "false", "true");
  advice.how += " and batch.to(device, non_blocking=True)";
  predict_bound(question, copy->second, advice);
  if (!worth_it(advice.predicted)) return std::nullopt;
  return advice;
}

// A trace says nothing of the machine that it was recorded on.
run::Advice workers_of_unknown_machine(const Question& question, const run::LoaderReport& loader) {
  run::Advice advice = by_hand(std::string(kNumWorkers.knob),
                               "load in workers: DataLoader(..., num_workers=N) with N up to the "
                               "free cores; flatout tune finds N on that machine",
                               loader.built_at);
  predict_bound(question, question.finding.share, advice);
  advice.other_draws = true;
  return advice;
}

}  // namespace

Answer answer_input_bound(const Question& question) {
  if (!question.report.loader) return {};
  const run::LoaderReport& loader = *question.report.loader;
  if (!question.report.run.trace_file.empty() && loader.workers == 0) {
    return {workers_of_unknown_machine(question, loader)};
  }
  if (loader.engine == "native") {
    Answer answer = answer_native_loading(question, loader);
    if (auto pinned = pinning(question, loader)) answer.push_back(std::move(*pinned));
    return answer;
  }
  Answer answer;
  bool engine_advised = false;
  double gain = 1;
  int workers = loader.workers;
  const auto choice = choose_workers(loader, question.report.host, question.predictor);
  if (choice) {
    answer.push_back(workers_advice(question.finding, loader, *choice));
    gain = answer.back().predicted ? choice->predicted.ratio : 1;
    workers = choice->setting.workers;
  }
  if (const auto prefetch = choose_prefetch(loader, workers, question.predictor)) {
    answer.push_back(prefetch_advice(loader, *prefetch));
    gain *= prefetch->predicted.ratio;
  }
  const bool storage = run::detail_of<run::InputDetail>(question.finding).waits_for_storage;
  if (auto engine = engine_advice(question, loader, storage)) {
    if (engine->predicted) gain = std::max(gain, engine->predicted->ratio);
    engine_advised = true;
    add_by_gain(answer, std::move(*engine));
  }
  if (still_starved(question.report, gain)) {
    const Before before = engine_advised   ? Before::kEngine
                          : answer.empty() ? Before::kNothing
                                           : Before::kOther;
    answer.push_back(cheaper_samples(question, loader, before));
  }
  if (auto pinned = pinning(question, loader)) answer.push_back(std::move(*pinned));
  if (auto estimate = engine_estimate(question, loader, storage)) {
    answer.push_back(std::move(*estimate));
  }
  return answer;
}

}  // namespace flatout::advise
