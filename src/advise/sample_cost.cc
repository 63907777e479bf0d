#include "advise/sample_cost.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "advise/workers.h"
#include "run/worker_room.h"

namespace flatout::advise {
namespace {

constexpr double kSlowStage = 0.2;  // of the fetch, for a stage to be named
constexpr double kBurns = 0.5;      // of a sample's time, on a core or waiting for one

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::lround(share * 100))) + " %";
}

// "reader 61 %": the stage to begin with. Empty where none was told apart.
std::string slowest_stage(const run::LoaderReport& loader) {
  for (const run::StageShare& stage : loader.stages) {
    if (stage.name != "other" && stage.share >= kSlowStage)
      return stage.name + " " + percent(stage.share);
  }
  return "";
}

// Where no workers are advised, though nothing measured is against more of them: what the model
// says of them, and who knows better. Empty where a measured fact is against them.
std::string only_the_model(const Question& question, const run::LoaderReport& loader) {
  const bool beside_others = !question.report.verdict.loaded.empty();
  if (waits_for_core(question.finding) >= kNotableWait && !beside_others) return "";
  const std::vector<int> left = run::workers_left_to_try(question.report);
  if (left.empty()) return "";
  run::LoaderSetting setting = present_setting(loader);
  setting.workers = left.front();
  const auto predicted = question.predictor.loader(setting);
  std::string says = "not sure what more workers gain";
  if (beside_others && predicted && predicted->hi >= kMinGain) {
    says = "more workers gain what they take from the other programs here";
  } else if (predicted && predicted->ratio < kMinGain) {
    says = "the model expects little of more workers";
  } else if (const std::string few = too_few_steps(question.report); !predicted && !few.empty()) {
    says += " (" + few + ")";
  }
  return "; " + says + ", `flatout tune` measures " + std::to_string(setting.workers);
}

// As a shell takes it; "FOLDER" of what it would take for several words.
std::string one_word(const std::string& folder) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:@%,=";
  const bool plain = folder.find_first_not_of(kPlain) == std::string::npos;
  return folder.empty() || !plain || folder[0] == '-' ? "FOLDER" : folder;
}

// Of a loader for which the engine is not advised: why, where it is known, and how to find out
// where it is not. Only where a stage decodes pictures: the engine is no answer to anything else.
std::string about_the_engine(const run::LoaderReport& loader) {
  const bool pictures = std::ranges::any_of(loader.stages, [](const run::StageShare& stage) {
    return stage.share >= kSlowStage && stage.name.contains("decode");
  });
  if (!pictures || !loader.engine.empty()) return "";
  if (loader.native_refusal && !loader.native_refusal->empty()) {
    return "; flatout's engine does not fit: " + *loader.native_refusal;
  }
  if (loader.engine_measured && loader.engine_measured->speed) return "";  // it gains too little
  return "; `flatout bench data " + one_word(loader.files_folder) +
         "` measures what flatout.data.images makes of them";
}

std::string limit(const Question& question) {
  const int cpus = question.report.host.cpus;
  const double core_wait = waits_for_core(question.finding);
  std::string out = std::to_string(cpus) + (cpus == 1 ? " CPU is" : " CPUs are") + " the limit";
  if (core_wait >= kNotableWait) {
    out += " (a sample waits for one " + percent(core_wait) + " of its time)";
  }
  return out;
}

}  // namespace

double waits_for_core(const run::Finding& finding) {
  return run::detail_of<run::InputDetail>(finding).core_wait.value_or(0);
}

run::Advice cheaper_samples(const Question& question, const run::LoaderReport& loader,
                            Before before) {
  const bool engine = before == Before::kEngine;
  const bool after = before != Before::kNothing;
  const double core = loader.sample_cpu_share.value_or(1) + waits_for_core(question.finding);
  const std::string model = after ? "" : only_the_model(question, loader);
  std::string how;
  if (question.finding.cause == run::Cause::kIpcTransfer) {
    how =
        "hand less over a batch: smaller types (uint8, float16) or fewer tensors from the "
        "workers, and convert in the program";
  } else if (core >= kBurns) {
    // The engine makes more of the same cores, so that they are no limit of this loader alone.
    if (engine) {
      how = "with the engine or without it: ";
    } else if (after) {
      how = "beyond that the " + limit(question) + ": ";
    } else if (model.empty()) {
      how = "more workers alone cannot help, the " + limit(question) + ": ";
    }
    how += engine ? "make samples cheaper (cache, resize beforehand)"
                  : "make samples cheaper (cache, resize beforehand, decode faster)";
    // Threads that meet at barriers suffer most from workers beside them.
    const bool parallel = question.report.host.intraop_threads.value_or(1) > 1;
    if (parallel && !after && loader.workers > 0)
      how += ", or give workers room by torch.set_num_threads(1)";
  } else {
    if (engine) {
      how = "with the engine or without it: ";
    } else if (after) {
      how = "beyond that: ";
    } else if (model.empty()) {
      how = "workers alone do not hide it: ";
    }
    how += "read less or from nearer storage (cache, pack small files)";
  }
  how += model;
  if (!engine) how += about_the_engine(loader);
  const std::string stage = slowest_stage(loader);
  if (!stage.empty()) how += (engine ? "; slowest now: " : "; slowest: ") + stage;
  return by_hand("dataset.sample_cost", how, loader.built_at);
}

}  // namespace flatout::advise
