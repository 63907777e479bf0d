// Findings about the time between the steps' and before it: evaluation, start-up. What a change
// gains is not predicted: it is of the run's time, and predictions are of the steps'.
#include <cmath>
#include <string>

#include "advise/rule.h"

namespace flatout::advise {
namespace {

constexpr double kMostlyWaits = 0.3;
constexpr double kMostOfStartup = 0.5;  // analyse/rules/startup.cc has the same

std::string rounded_percent(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

}  // namespace

Answer answer_eval_share(const Question& question) {
  const auto of = [&](const char* metric) { return evidence_value(question.finding, metric); };
  Answer answer;
  if (of("eval.with_gradients").value_or(0) > 0.5) {
    answer.push_back(by_hand("eval.inference_mode",
                             "evaluate under torch.inference_mode(): gradients are recorded now, "
                             "and nobody uses them",
                             ""));
  }
  const bool waits = of("eval.data_wait").value_or(0) >= kMostlyWaits;
  const auto workers = of("eval.loader.workers");
  if (waits && workers) {
    answer.push_back(by_hand(
        "eval.num_workers",
        *workers == 0 ? "num_workers of at least 1 for the evaluation's DataLoader: it has none"
                      : "more workers for the evaluation's DataLoader: it has " +
                            std::to_string(std::lround(*workers)),
        question.finding.at));
  }
  answer.push_back(by_hand("eval.interval",
                           "evaluate half as often, or on a part of the data: saves " +
                               rounded_percent(question.finding.share / 2) +
                               " of the run's time after start-up",
                           ""));
  const auto batch = of("eval.loader.batch_size");
  if (!waits && batch) {
    answer.push_back(by_hand("eval.batch_size",
                             "a larger batch for the evaluation than " +
                                 std::to_string(std::lround(*batch)) +
                                 ": without gradients more samples fit",
                             question.finding.at));
  }
  return answer;
}

Answer answer_startup(const Question& question) {
  const auto of = [&](const char* metric) { return evidence_value(question.finding, metric); };
  const double most = kMostOfStartup * of("account.startup_s").value_or(0);
  const auto import_s = of("startup.import_s");
  if (import_s && *import_s >= most) {
    return {by_hand("startup.imports",
                    "import less, or from a faster disk: `python -X importtime` names the modules "
                    "that take long",
                    "")};
  }
  const auto passes_s = of("startup.passes_s");
  if (passes_s && *passes_s >= most) {
    return {by_hand("startup.passes",
                    "evaluate after some training instead of before it, or on a part of the data",
                    "")};
  }
  const std::string how =
      "do once what each start repeats: list and tokenise the data to files, keep "
      "torch.compile's cache (TORCHINDUCTOR_CACHE_DIR)";
  return {by_hand("startup.cost", import_s ? how : how + ", import less", "")};
}

}  // namespace flatout::advise
