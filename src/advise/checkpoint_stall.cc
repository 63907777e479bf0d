// The step waits for torch.save. Saving half as often halves it; the bound is
// a copy that is written in the background.
#include "advise/rule.h"

namespace flatout::advise {

Answer answer_checkpoint_stall(const Question& question) {
  run::Advice advice =
      by_hand("checkpoint.interval",
              "save less often, or copy the state to memory and torch.save it in a thread", "");
  predict_bound(question, question.finding.share, advice);
  if (!worth_it(advice.predicted)) return {};
  return {advice};
}

}  // namespace flatout::advise
