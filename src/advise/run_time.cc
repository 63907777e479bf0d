// Findings about the time between the steps' and before it: evaluation, start-up. What a change
// gains is not predicted: it is of the run's time, and predictions are of the steps'.
#include <cmath>
#include <string>

#include "advise/rule.h"

namespace flatout::advise {
namespace {

std::string rounded_percent(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

}  // namespace

Answer answer_eval_share(const Question& question) {
  const auto detail = run::detail_of<run::EvalDetail>(question.finding);
  Answer answer;
  if (detail.gradients) {
    answer.push_back(by_hand("eval.inference_mode",
                             "evaluate under torch.inference_mode(): gradients are recorded now, "
                             "and nobody uses them",
                             ""));
  }
  if (detail.waits && detail.workers) {
    answer.push_back(
        by_hand("eval.num_workers",
                *detail.workers == 0
                    ? "num_workers of at least 1 for the evaluation's DataLoader: it has none"
                    : "more workers for the evaluation's DataLoader: it has " +
                          std::to_string(*detail.workers),
                question.finding.at));
  }
  answer.push_back(by_hand("eval.interval",
                           "evaluate half as often, or on a part of the data: saves " +
                               rounded_percent(question.finding.share / 2) +
                               " of the run's time after start-up",
                           ""));
  if (!detail.waits && detail.batch_size) {
    answer.push_back(by_hand("eval.batch_size",
                             "a larger batch for the evaluation than " +
                                 std::to_string(std::lround(*detail.batch_size)) +
                                 ": without gradients more samples fit",
                             question.finding.at));
  }
  return answer;
}

Answer answer_startup(const Question& question) {
  // Of another tool's trace: what its steps do once says little of those that follow.
  if (!question.report.run.trace_file.empty()) {
    return {
        by_hand("startup.trace_later",
                "trace later steps: torch.profiler.schedule(wait=, warmup=, active=) leaves out "
                "what only the first ones do",
                "")};
  }
  const auto detail = run::detail_of<run::StartupDetail>(question.finding);
  if (detail.mostly == run::StartupPart::kImports) {
    return {by_hand("startup.imports",
                    "import less, or from a faster disk: `python -X importtime` names the modules "
                    "that take long",
                    "")};
  }
  if (detail.mostly == run::StartupPart::kPasses) {
    return {by_hand("startup.passes",
                    "evaluate after some training instead of before it, or on a part of the data",
                    "")};
  }
  const std::string how =
      "do once what each start repeats: list and tokenise the data to files, keep "
      "torch.compile's cache (TORCHINDUCTOR_CACHE_DIR)";
  return {by_hand("startup.cost", detail.imports_timed ? how : how + ", import less", "")};
}

}  // namespace flatout::advise
