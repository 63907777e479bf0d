// compile.mode: torch.compile of the model. Fused kernels round differently.
//
// Compiling takes seconds to minutes and lies in the warm-up of a trial, which is cut
// off: the rates that tune compares are a long run's. What compiling costs is weighed
// apart from them (start_up_cost.h).
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// Findings of a program that waits for its own Python, not for its kernels.
constexpr std::string_view kLaunches[] = {"launch_bound", "host_bound"};

Proposal propose_compile_mode(const Situation& now) {
  const auto& model = now.report.model;
  if (model && model->compiled.value_or(false)) {
    return {.why_not = "the program compiles its model already", .impossible = true};
  }
  for (const std::string_view id : kLaunches) {
    if (!has_finding(now.report, id)) continue;
    Proposal proposal = proposed_for_finding(now.report, id, R"("default")", "null");
    if (on_cuda(now.report)) {
      proposal.candidates.push_back(proposal.candidates.front());
      proposal.candidates.back().value = R"("reduce-overhead")";
    }
    return proposal;
  }
  return {.why_not = "no finding says that launching holds the steps up"};
}

ByHand compile_mode_by_hand(const std::string& value) {
  return {.script = "model.compile(mode=" + value + ")",
          .hf = "torch_compile=True, torch_compile_mode=" + value,
          .lightning = ""};
}

}  // namespace

const Knob& compile_mode() {
  static const Knob knob = {.id = "compile.mode",
                            .short_name = "compile.mode",
                            .risk = run::Risk::kRounding,
                            .changes = KnobChanges::kRounding,
                            .needs = "a model that the program does not compile itself",
                            .propose = propose_compile_mode,
                            .by_hand = compile_mode_by_hand,
                            .grid = {R"("default")", R"("reduce-overhead")"},
                            .compiles = true};
  return knob;
}

}  // namespace flatout::apply
