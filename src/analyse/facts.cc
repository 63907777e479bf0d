#include "analyse/facts.h"

#include <algorithm>

namespace flatout::analyse {

double float32_share(const run::ModelFact& model) {
  double all = 0;
  for (const auto& [type, count] : model.dtypes) all += std::max(0.0, count);
  const auto found = model.dtypes.find("float32");
  return all > 0 && found != model.dtypes.end() ? found->second / all : 0;
}

std::optional<int> accumulated(const run::FrameworkFact& framework) {
  return framework.gradient_accumulation_steps ? framework.gradient_accumulation_steps
                                               : framework.accumulate_grad_batches;
}

std::string model_device(const run::Observed& said) {
  const run::ModelFact* model = run::first_of(said.models);
  return model != nullptr ? model->device : "";
}

std::span<const run::DeviceFact> devices_of(const run::Observed& said) {
  const run::DevicesFact* latest = run::latest_of(said.devices);
  if (latest == nullptr) return {};
  return latest->devices;
}

std::string first_problem(const run::Timeline& timeline) {
  for (const auto& [pid, process] : timeline.processes) {
    const run::ProblemFact* problem = run::first_of(process.facts.observed().problems);
    if (problem != nullptr) return problem->problem;
  }
  return "";
}

}  // namespace flatout::analyse
