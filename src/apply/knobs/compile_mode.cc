// compile.mode: torch.compile of the model. Fused kernels round differently.
//
// Compiling takes seconds to minutes and lies in the warm-up of a trial, which is cut
// off: the rates that tune compares are a long run's. What compiling costs is weighed
// apart from them (start_up_cost.h).
#include <algorithm>
#include <iterator>
#include <string>

#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// Findings of a program that waits for its own Python, not for its kernels, or whose kernels could
// be fewer.
constexpr std::string_view kLaunches[] = {"launch_bound", "host_bound", "graph_candidate",
                                          "unfused_elementwise"};

constexpr std::string_view kDefault = R"("default")";
constexpr std::string_view kGraphs = R"("reduce-overhead")";

// The mode in which flatout itself compiled the model of this run; "" = it did not.
std::string mode_of_plan(const run::Report& report) {
  for (const run::KnobOutcome& knob : report.knobs) {
    if (knob.asked.knob == run::knob_id::kCompileMode && knob.applied) return knob.asked.value;
  }
  return "";
}

Proposal propose_compile_mode(const Situation& now) {
  const auto& model = now.report.model;
  const std::string present = mode_of_plan(now.report);
  if (present.empty() && model && model->compiled.value_or(false)) {
    return {.why_not = "the program compiles its model already", .impossible = true};
  }
  const auto launches = std::ranges::find_if(
      kLaunches, [&](std::string_view id) { return has_finding(now.report, id); });
  if (launches == std::end(kLaunches)) {
    return {.why_not = "no finding says that launching or unfused kernels hold the steps up"};
  }
  Proposal proposal = proposed_for_finding(now.report, *launches, std::string(kDefault),
                                           present.empty() ? "null" : present);
  // Fused and still launch-bound: a graph launches all that is left at once.
  if (on_cuda(now.report)) {
    proposal.candidates.push_back(proposal.candidates.front());
    proposal.candidates.back().value = kGraphs;
  }
  const bool all = present == kGraphs;
  std::erase_if(proposal.candidates,
                [&](const Candidate& one) { return all || one.value == present; });
  if (proposal.candidates.empty()) proposal.why_not = "it is compiled already";
  return proposal;
}

}  // namespace

const Knob& compile_mode() {
  static const Knob knob = declared(run::knob_id::kCompileMode, {.propose = propose_compile_mode});
  return knob;
}

}  // namespace flatout::apply
