#include "app/run_pictures.h"

#include <exception>

#include "analyse/analyse.h"
#include "analyse/charts/charts.h"
#include "app/stored_runs.h"

namespace flatout::app {

run::Charts charts_of(const run::Timeline& timeline, const analyse::Analysis& analysis) {
  try {
    return analyse::charts(timeline, analysis);
  } catch (const std::exception&) {  // the figures still say what there is to say
    return {};
  }
}

run::StepHistogram step_lengths(const std::string& home, const std::string& run) {
  const auto stored = open_run(home, run);
  if (!stored) return {};
  try {
    return analyse::charts(stored->timeline, analyse::measure(stored->timeline)).step_lengths;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace flatout::app
