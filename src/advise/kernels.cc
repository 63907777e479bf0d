// Findings about the kernels themselves, and about launching them.
#include <string>
#include <utility>

#include "advise/rule.h"

namespace flatout::advise {
namespace {

constexpr std::string_view kFusing = R"("default")";
constexpr std::string_view kGraphs = R"("reduce-overhead")";

run::Advice set_knob(std::string knob, std::string from, std::string_view to, std::string how) {
  run::Advice advice = by_hand(std::move(knob), std::move(how), "");
  advice.from = std::move(from);
  advice.to = to;
  advice.risk = run::Risk::kRounding;
  return advice;
}

// With a bound on the gain where something is at stake.
Answer one(const Question& question, run::Advice advice) {
  if (question.finding.share > 0) predict_bound(question, question.finding.share, advice);
  if (!worth_it(advice.predicted)) return {};
  return {advice};
}

// Compiling for fewer launches fuses, too: asked for by another finding.
bool compiles_already(const run::Report& report) {
  return has_finding(report, "launch_bound", true) || has_finding(report, "graph_candidate");
}

}  // namespace

Answer answer_layout_transposes(const Question& question) {
  if (question.finding.cause == run::Cause::kConvolutionLayout) {
    return one(question,
               set_knob(run::knob_id::kLayoutChannelsLast, "false", "true",
                        "model = model.to(memory_format=torch.channels_last), and the same of its "
                        "input"));
  }
  if (compiles_already(question.report)) return {};
  return one(question, set_knob(run::knob_id::kCompileMode, "null", kFusing,
                                "model.compile(), which fuses such copies into the kernels around "
                                "them, or tensors that are permuted once and not in each step"));
}

Answer answer_unfused_elementwise(const Question& question) {
  if (compiles_already(question.report)) return {};
  return one(question, set_knob(run::knob_id::kCompileMode, "null", kFusing,
                                "model.compile(), which makes one kernel of each chain"));
}

// Where launching is what holds the training up, the advice stands with that.
Answer answer_graph_candidate(const Question& question) {
  if (has_finding(question.report, "launch_bound", true)) return {};
  return one(question, set_knob(run::knob_id::kCompileMode, "null", kGraphs,
                                "model.compile(mode=\"reduce-overhead\"): the step's kernels "
                                "launched as CUDA graphs"));
}

// What fewer launches gain depends on what the model's kernels become: nothing is predicted, but a
// bound where the trace shows that a graph can hold them.
Answer answer_launch_bound(const Question& question) {
  run::Advice compile = by_hand(
      run::knob_id::kCompileMode,
      "model.compile(mode=\"reduce-overhead\"): larger kernels, launched as CUDA graphs", "");
  compile.risk = run::Risk::kRounding;
  if (has_finding(question.report, "graph_candidate")) {
    predict_bound(question, question.finding.share, compile);
  }
  return {compile, by_hand(run::knob_id::kBatchSize,
                           "a larger batch, or several small models or sequences in one call", "")};
}

}  // namespace flatout::advise
