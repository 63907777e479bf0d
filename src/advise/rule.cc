#include "advise/rule.h"

#include <algorithm>
#include <utility>

namespace flatout::advise {

namespace {

// transformers.TrainingArguments has arguments of its own for those of the DataLoader; of other
// libraries nobody knows here what passes them on.
std::string given_to_library(const run::LoaderReport& loader, const LoaderArgument& argument,
                             const std::string& python) {
  const bool hugging_face = loader.built_by == "transformers" || loader.built_by == "trl";
  if (hugging_face && !argument.hugging_face.empty())
    return std::string(argument.hugging_face) + "=" + python + " of TrainingArguments";
  return std::string(argument.keyword) + "=" + python + " for the DataLoader that " +
         loader.built_by + " builds there";
}

}  // namespace

run::Advice loader_argument(const run::LoaderReport& loader, const LoaderArgument& argument,
                            const std::string& from, const std::string& to) {
  const bool boolean = to == "true" || to == "false";
  const std::string python = boolean ? (to == "true" ? "True" : "False") : to;
  run::Advice advice{.knob = std::string(argument.knob),
                     .from = from,
                     .to = to,
                     .predicted = std::nullopt,
                     .argument = std::string(argument.keyword) + "=" + python,
                     .how = "",
                     .at = loader.built_at};
  if (!loader.built_by.empty()) {
    advice.how = given_to_library(loader, argument, python);
    advice.argument.clear();
  }
  // torch raises an error of each of them.
  if (argument.keyword == kNumWorkers.keyword && to == "0") {
    advice.how +=
        ", without the arguments that need workers (persistent_workers, prefetch_factor, timeout, "
        "multiprocessing_context)";
  }
  return advice;
}

run::Advice by_hand(std::string knob, std::string how, std::string at) {
  return {.knob = std::move(knob),
          .from = "",
          .to = "",
          .predicted = std::nullopt,
          .how = std::move(how),
          .at = std::move(at)};
}

void predict_bound(const Question& question, double share, run::Advice& advice) {
  advice.predicted = question.predictor.remove_share(share);
  const std::string few = too_few_steps(question.report);
  if (advice.predicted) {
    advice.how += ": at most this";
  } else if (!few.empty()) {
    advice.how += "; not sure how much it gains, " + few;
  }
}

void predict_persistent_workers(const Question& question, double share, run::Advice& advice) {
  const auto measured = question.predictor.persistent_workers();
  if (!measured) return predict_bound(question, share, advice);
  advice.predicted = measured;
}

std::string too_few_steps(const run::Report& report) {
  if (!report.steps || report.steps->steady_count >= run::kLeastPredictedSteps) return "";
  const std::int64_t count = report.steps->steady_count;
  return std::to_string(count) + (count == 1 ? " steady step is" : " steady steps are") +
         " too few";
}

bool has_finding(const run::Report& report, std::string_view id, bool speaks) {
  return std::ranges::any_of(report.findings, [&](const run::Finding& finding) {
    return finding.id == id && (!speaks || finding.severity != run::Severity::kInfo);
  });
}

bool worth_it(const std::optional<run::Speedup>& predicted) {
  return !predicted || predicted->ratio >= kMinGain;
}

}  // namespace flatout::advise
