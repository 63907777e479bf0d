#include "serve/runs/live_figures.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "analyse/run_steps.h"
#include "analyse/stats.h"

namespace flatout::serve {

StepFigures step_figures(const run::Timeline& timeline) {
  std::int64_t count = 0;
  std::vector<double> steady_ms;
  double sum_ms = 0, samples = 0;
  std::size_t with_samples = 0;
  const analyse::RunSteps steps(timeline);
  steps.each([&](const analyse::Step& step, bool warm_up) {
    ++count;
    if (warm_up) return true;
    steady_ms.push_back(static_cast<double>(step.own_ns) / 1e6);
    sum_ms += steady_ms.back();
    if (step.samples) {
      samples += *step.samples;
      ++with_samples;
    }
    return true;
  });
  StepFigures out;
  if (count == 0) return out;
  out.steps = count;
  out.median_ms = analyse::median(steady_ms);
  // Half of the steps may have lost their counts; fewer would not speak for all.
  if (with_samples == 0 || with_samples * 2 < steady_ms.size() || sum_ms <= 0) return out;
  const double mean_ms = sum_ms / static_cast<double>(steady_ms.size());
  out.samples_per_s = samples / static_cast<double>(with_samples) * 1000 / mean_ms;
  return out;
}

StepFigures LiveFigures::get(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostRuns && !known_.contains(id)) {
    std::erase_if(known_, [](const auto& entry) {
      return !entry.second.counting && entry.second.next < Clock::now() - std::chrono::minutes(1);
    });
    if (known_.size() >= kMostRuns) return {};
  }
  Known& known = known_[id];
  if (!known.counting && known.next <= Clock::now()) {
    known.counting = worker_.add([this, id] { count(id); });
  }
  return known.figures;
}

void LiveFigures::count(const std::string& id) {
  const auto began = Clock::now();
  StepFigures figures;
  try {
    if (const auto open = runs_.open(id)) {
      if (const auto timeline = open->outline()) figures = step_figures(**timeline);
    }
  } catch (const std::exception&) {
    // Whoever opens the run gets the error.
  }
  const auto ended = Clock::now();
  const std::lock_guard lock(mutex_);
  Known& known = known_[id];
  if (known.figures != figures) ++version_;
  known = {.figures = figures,
           .next = ended + std::max<Clock::duration>(kPause, 20 * (ended - began)),
           .counting = false};
}

}  // namespace flatout::serve
