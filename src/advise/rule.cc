#include "advise/rule.h"

#include <algorithm>
#include <utility>

namespace flatout::advise {

run::Advice loader_argument(const run::LoaderReport& loader, const std::string& argument,
                            const std::string& from, const std::string& to) {
  const bool boolean = to == "true" || to == "false";
  const std::string python = boolean ? (to == "true" ? "True" : "False") : to;
  return {.knob = "dataloader." + argument,
          .from = from,
          .to = to,
          .predicted = std::nullopt,
          .how = "DataLoader(..., " + argument + "=" + python + ")",
          .at = loader.built_at};
}

run::Advice by_hand(std::string knob, std::string how, std::string at) {
  return {.knob = std::move(knob),
          .from = "",
          .to = "",
          .predicted = std::nullopt,
          .how = std::move(how),
          .at = std::move(at)};
}

std::optional<double> evidence_value(const run::Finding& finding, std::string_view metric) {
  const auto it = std::ranges::find(finding.evidence, metric, &run::Evidence::metric);
  if (it == finding.evidence.end()) return std::nullopt;
  return it->value;
}

bool worth_it(const std::optional<run::Speedup>& predicted) {
  return !predicted || predicted->ratio >= kMinGain;
}

}  // namespace flatout::advise
