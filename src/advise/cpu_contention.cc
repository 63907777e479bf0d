// More threads and workers want cores than there are. What the program can do
// is want fewer; what the machine, or its container, can do is give more. Where
// others have the cores there is nothing to change in the program.
#include <algorithm>
#include <string>

#include "advise/rule.h"
#include "advise/workers.h"

namespace flatout::advise {
namespace {

std::optional<run::Advice> fewer_workers(const Question& question) {
  if (!question.report.loader || question.report.loader->workers == 0) return std::nullopt;
  const run::LoaderReport& loader = *question.report.loader;
  const auto choice = choose_workers(loader, question.report.host, question.predictor);
  if (!choice || choice->setting.workers >= loader.workers) return std::nullopt;
  run::Advice advice = loader_argument(loader, kNumWorkers, std::to_string(loader.workers),
                                       std::to_string(choice->setting.workers));
  advice.predicted = choice->predicted;
  advice.other_draws = true;
  return advice;
}

// Intra-op threads beyond the cores that the workers leave wait at each barrier
// for the one without a core. The gain depends on the operators: no number.
std::optional<run::Advice> fewer_threads(const Question& question) {
  const run::HostReport& host = question.report.host;
  const int workers = question.report.loader ? question.report.loader->workers : 0;
  const int left = std::max(1, host.cpus - workers);
  if (host.cpus <= 0 || !host.intraop_threads || *host.intraop_threads <= left) {
    return std::nullopt;
  }
  run::Advice advice =
      by_hand("torch.num_threads", "torch.set_num_threads(" + std::to_string(left) + ")", "");
  advice.from = std::to_string(*host.intraop_threads);
  advice.to = std::to_string(left);
  advice.risk = run::Risk::kRounding;  // sums are split differently
  return advice;
}

}  // namespace

Answer answer_cpu_contention(const Question& question) {
  if (question.finding.outside) return {};
  Answer answer;
  if (question.finding.cause == run::Cause::kCpuQuota) {
    answer.push_back(by_hand("host.cpus", "raise or remove the container's CPU limit", ""));
  }
  if (auto advice = fewer_workers(question)) answer.push_back(std::move(*advice));
  if (auto advice = fewer_threads(question)) answer.push_back(std::move(*advice));
  if (answer.empty()) {
    answer.push_back(by_hand("host.cpus",
                             "give the run more CPUs (the container's CPU limit, fewer programs "
                             "beside it): it has " +
                                 std::to_string(question.report.host.cpus),
                             ""));
  }
  return answer;
}

}  // namespace flatout::advise
