// Findings about what the host gives to the loader: memory, cores, a start.
#include <algorithm>
#include <string>

#include "advise/rule.h"
#include "advise/workers.h"

namespace flatout::advise {

Answer answer_memory_pressure(const Question& question) {
  const bool workers = question.report.loader && question.report.loader->workers > 0;
  return {by_hand("host.memory",
                  std::string(workers ? "fewer loader workers or a smaller prefetch_factor, "
                                        "arrays instead of lists in the dataset, "
                                      : "hold less in memory, ") +
                      "or a higher memory limit",
                  workers ? question.report.loader->built_at : "")};
}

Answer answer_too_many_workers(const Question& question) {
  if (!question.report.loader) return {};
  const run::LoaderReport& loader = *question.report.loader;
  const auto choice = choose_workers(loader, question.report.host, question.predictor);
  const bool fewer = choice && choice->setting.workers < loader.workers;
  const int to = fewer ? choice->setting.workers : std::max(1, question.report.host.cpus - 1);
  if (to >= loader.workers) return {};
  run::Advice advice =
      loader_argument(loader, kNumWorkers, std::to_string(loader.workers), std::to_string(to));
  if (fewer) advice.predicted = choice->predicted;
  advice.other_draws = true;
  return {advice};
}

Answer answer_epoch_restart(const Question& question) {
  if (!question.report.loader) return {};
  run::Advice advice =
      loader_argument(*question.report.loader, kPersistentWorkers, "false", "true");
  predict_persistent_workers(question, question.finding.share, advice);
  if (!worth_it(advice.predicted)) return {};
  advice.other_draws = true;  // the workers' random streams go on instead of starting anew
  return {advice};
}

}  // namespace flatout::advise
