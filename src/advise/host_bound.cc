// The program's own Python between the phases takes the step's time, mostly
// because it builds batches by hand. Loader workers can do that beside the
// step, on other cores; the bound on the gain is that they hide all of it.
// A program that draws from a DataLoader builds none by hand.
#include <algorithm>
#include <string>

#include "advise/rule.h"

namespace flatout::advise {
namespace {

// Its batches come from a loader already: what is left is logging, metrics, or
// the loop of a framework, and how much of that can go nobody measured.
run::Advice make_the_loop_cheaper() {
  return by_hand("loop.python",
                 "make the Python between the phases cheaper: log and read metrics every N steps; "
                 "`py-spy record` names its lines",
                 "");
}

// Of another tool's trace: nobody asked that program, and its machine is not known.
run::Advice look_at_the_loop() {
  return by_hand("loop.python",
                 "see what the thread does between the phases (a trace with with_stack=True names "
                 "it); what makes batches can be a Dataset, drawn from DataLoader(..., "
                 "num_workers=N)",
                 "");
}

}  // namespace

Answer answer_host_bound(const Question& question) {
  if (!question.report.run.trace_file.empty()) return {look_at_the_loop()};
  if (question.report.loader && question.finding.cause == run::Cause::kPythonInLoop) {
    return {make_the_loop_cheaper()};
  }
  const double share = question.finding.share;
  const int cpus = question.report.host.cpus;
  run::Advice advice = by_hand("loop.batch_building",
                               "move batch building into a Dataset, drawn from "
                               "DataLoader(..., num_workers=" +
                                   std::to_string(std::max(1, cpus - 1)) + ")",
                               "");
  advice.other_draws = true;
  if (cpus == 1) {
    advice.how =
        "the one CPU is the limit: make the Python between the phases cheaper (vectorise, "
        "build batches once beforehand)";
    advice.other_draws = false;
    return {advice};
  }
  if (share > 0 && share < 1) {
    // One core stays with the step; the others each take a part of the moved work.
    const double others = cpus > 1 ? cpus - 1.0 : 1.0;
    const double left = std::max(1 - share, share / others);
    predict_bound(question, 1 - left, advice);
  }
  if (!worth_it(advice.predicted)) return {};
  return {advice};
}

}  // namespace flatout::advise
