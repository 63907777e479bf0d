// One rank is late in each step: what to do follows from why it is late.
#include <string>

#include "advise/rule.h"

namespace flatout::advise {
namespace {

struct ByHand {
  const char* knob;
  const char* how;
};

ByHand work_of(run::Cause cause) {
  switch (cause) {
    case run::Cause::kLateData:
      return {"ranks.loader",
              "give the late rank's loader what the others have: shards of one size, the same "
              "storage, as many workers (cores divided by ranks)"};
    case run::Cause::kLateCopies:
      return {"ranks.copies",
              "pin the late rank's batches; if they are pinned already, look at the link and the "
              "place of its GPU (nvidia-smi topo -m)"};
    case run::Cause::kLateCheckpoint:
      return {"ranks.checkpoint",
              "save asynchronously (torch.distributed.checkpoint.async_save), or evaluate on all "
              "ranks at once"};
    case run::Cause::kLateHost:
      return {"ranks.host",
              "take logging and metrics of that rank alone out of the step, and give each rank "
              "cores of its own"};
    case run::Cause::kLateCompute:
      return {"ranks.compute",
              "give all ranks batches of one length (bucket by length); if they are, compare that "
              "GPU's clocks and temperature with the others'"};
    default:
      return {"ranks.balance",
              "give all ranks the same to do: shards of one size, batches of one length, logging "
              "outside of the step"};
  }
}

}  // namespace

Answer answer_rank_imbalance(const Question& question) {
  const ByHand work = work_of(question.finding.cause);
  run::Advice advice = by_hand(work.knob, work.how, "");
  if (question.finding.share > 0) predict_bound(question, question.finding.share, advice);
  if (!worth_it(advice.predicted)) return {};
  return {advice};
}

}  // namespace flatout::advise
