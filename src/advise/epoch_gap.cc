// Time between epochs. With workers it is mostly their start, which
// persistent_workers does once; else it is the program's own iterator.
#include "advise/rule.h"

namespace flatout::advise {

Answer answer_epoch_gap(const Question& question) {
  // The finding's share is gap over step time; the bound is on both together.
  const double gap = question.finding.share;
  const double share = gap / (1 + gap);
  if (!worth_it(question.predictor.remove_share(share))) return {};
  if (!question.report.loader) return {};
  const run::LoaderReport& loader = *question.report.loader;
  if (loader.workers > 0 && !loader.persistent_workers.value_or(true)) {
    run::Advice advice = loader_argument(loader, kPersistentWorkers, "false", "true");
    predict_persistent_workers(question, share, advice);
    advice.other_draws = true;  // the workers' random streams go on instead of starting anew
    return {advice};
  }
  run::Advice advice =
      by_hand("dataset.start_cost",
              "make iter(loader) cheaper: what the sampler, the dataset or worker_init_fn does at "
              "the start of an epoch, once and not each time",
              loader.built_at);
  predict_bound(question, share, advice);
  return {advice};
}

}  // namespace flatout::advise
