#include <algorithm>
#include <cassert>
#include <utility>

#include "apply/knobs/knob.h"
#include "run/knob_table.h"

namespace flatout::apply {

const std::vector<const Knob*>& all_knobs() {
  static const std::vector<const Knob*> knobs = [] {
    std::vector<const Knob*> out;
    for (const auto function : kKnobFunctions) out.push_back(&function());
    return out;
  }();
  return knobs;
}

Knob declared(std::string_view id, KnobCode code) {
  const run::KnobFacts* facts = run::knob_facts(id);
  assert(facts != nullptr && "the id is one of run/knob_ids.h");
  Knob out;
  out.id = facts->id;
  out.short_name = facts->short_name;
  out.risk = facts->risk;
  out.changes = facts->changes;
  out.counts = facts->counts;
  out.switched = facts->switched;
  out.between_epochs = facts->between_epochs;
  out.cost = facts->cost;
  out.compiles = facts->compiles;
  out.grid.assign(facts->grid.begin(), facts->grid.end());
  out.propose = std::move(code.propose);
  out.by_hand = [facts](const std::string& value) { return written_by_hand(*facts, value); };
  out.present = code.present;
  out.along = code.along;
  return out;
}

const Knob* find_knob(std::string_view id) {
  const auto found = std::ranges::find(all_knobs(), id, &Knob::id);
  return found == all_knobs().end() ? nullptr : *found;
}

Proposal proposed_by_advice(const run::Report& report, std::string_view knob) {
  for (const auto& finding : report.findings) {
    for (const auto& advice : finding.advice) {
      if (advice.knob != knob || advice.to.empty()) continue;
      return {.candidates = {{.value = advice.to,
                              .from = advice.from,
                              .predicted = advice.predicted,
                              .confidence = finding.confidence}}};
    }
  }
  return {.why_not = "no finding asks for it"};
}

bool on_cuda(const run::Report& report) {
  return std::ranges::any_of(report.devices, [](const run::DeviceReport& device) {
    return device.kind == "cuda" && device.used.value_or(true);
  });
}

bool has_finding(const run::Report& report, std::string_view id) {
  return std::ranges::any_of(report.findings,
                             [&](const run::Finding& finding) { return finding.id == id; });
}

Proposal proposed_for_finding(const run::Report& report, std::string_view id, std::string value,
                              std::string from) {
  const auto found = std::ranges::find(report.findings, id, &run::Finding::id);
  const double confidence = found == report.findings.end() ? 0 : found->confidence;
  return {.candidates = {{.value = std::move(value),
                          .from = std::move(from),
                          .predicted = std::nullopt,
                          .confidence = confidence}}};
}

Proposal proposed_for_fused_layers(const Situation& now) {
  const auto& model = now.report.model;
  if (!on_cuda(now.report)) return {.why_not = "there is no CUDA device", .impossible = true};
  if (!model || model->attention.empty()) {
    return {.why_not = "the model is none of transformers'", .impossible = true};
  }
  if (!has_finding(now.report, "compute_bound")) {
    return {.why_not = "the steps do more than compute"};
  }
  return proposed_for_finding(now.report, "compute_bound", "true", "false");
}

}  // namespace flatout::apply
