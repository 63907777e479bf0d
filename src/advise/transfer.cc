// Findings about what passes between host and device, and about waiting for it.
#include <string>
#include <utility>

#include "advise/rule.h"

namespace flatout::advise {
namespace {

run::Advice bound_on(const Question& question, run::Advice advice, double share) {
  predict_bound(question, share, advice);
  return advice;
}

run::Advice pinned(const Question& question) {
  const auto& loader = question.report.loader;
  if (loader && !loader->pin_memory.value_or(true)) {
    run::Advice advice = loader_argument(*loader, kPinMemory, "false", "true");
    advice.how += " and batch.to(device, non_blocking=True)";
    if (!question.finding.at.empty()) advice.how += " at " + question.finding.at;
    return advice;
  }
  return by_hand("copy.pinned",
                 "copy from memory that was pinned once (pin_memory=True), with non_blocking=True",
                 question.finding.at);
}

}  // namespace

Answer answer_copy_bound(const Question& question) {
  const run::Finding& finding = question.finding;
  run::Advice advice;
  if (finding.cause == run::Cause::kPageableMemory) {
    advice = bound_on(question, pinned(question), finding.share);
  } else if (finding.cause == run::Cause::kPcieDegraded) {
    const double of_best = run::detail_of<run::CopyDetail>(finding).link_of_best.value_or(1);
    advice = bound_on(question,
                      by_hand("host.pcie_link",
                              "bring the link to its best: seat, slot or riser of the card, the "
                              "BIOS's link settings (nvidia-smi -q -d PCIE)",
                              ""),
                      finding.share * (1 - of_best));
  } else {
    advice = bound_on(question,
                      by_hand("batch.bytes",
                              "copy less (uint8, converted on the GPU), or ahead of the step on a "
                              "stream of its own",
                              finding.at),
                      finding.share);
  }
  if (!worth_it(advice.predicted)) return {};
  return {advice};
}

Answer answer_comm_bound(const Question& question) {
  const run::Finding& finding = question.finding;
  if (finding.cause == run::Cause::kSmallMessages) {
    return {bound_on(question,
                     by_hand("loop.comm_size",
                             "send the same in fewer and larger collectives (a larger "
                             "bucket_cap_mb of DistributedDataParallel, tensors put together "
                             "before all_reduce)",
                             ""),
                     finding.share)};
  }
  run::Advice advice = by_hand("loop.comm_overlap",
                               "run the collectives during backward (DistributedDataParallel's "
                               "bucket_cap_mb), or do fewer (no_sync() over several batches)",
                               "");
  return {bound_on(question, std::move(advice), finding.share)};
}

Answer answer_sync_bound(const Question& question) {
  run::Advice advice = bound_on(question,
                                by_hand("loop.sync",
                                        "read values from the GPU (.item(), .cpu(), print) every "
                                        "N steps, and synchronize() nowhere in the loop",
                                        question.finding.at),
                                question.finding.share);
  if (!worth_it(advice.predicted)) return {};
  return {advice};
}

}  // namespace flatout::advise
