// What compiling costs, against what the training has left to gain from it.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "apply/start_up_cost.h"
#include "apply/tuner_loop.h"

namespace flatout::apply {
namespace {

// Two digits: it follows from a difference of two rates.
std::string about(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number);
  const double rounded = std::strtod(text, nullptr);
  std::snprintf(text, sizeof text, "%.*f", rounded < 10 ? 1 : 0, rounded);
  return text;
}

}  // namespace

// `row` is kept by its rate and its loss. Where the training's length is known, what it gains
// as a whole decides; it can only take a keep away, so that the error rate stands.
void Tuner::weigh_start_up(const Knob& knob, const Stack& candidate,
                           const std::optional<std::uint64_t>& training_steps,
                           run::TuneTrial& row) {
  if (!knob.compiles) return;
  const auto before = arms_.start_up(stack_);
  const auto after = arms_.start_up(candidate);
  if (!before || !after) return;
  const auto cost = start_up_cost(*before, *after);
  if (!cost) return;
  const std::string pays =
      "pays off after about " + about(static_cast<double>(cost->steps_to_pay)) + " steps";
  if (!training_steps) {
    row.reason = "kept: " + pays;
    out_.notes.push_back(knob.short_name + " compiles for about " + about(cost->seconds) +
                         " s when the program starts, and " + pays);
    return;
  }
  const std::string of = ", and the training has " + std::to_string(*training_steps);
  if (net_gain(*before, *after, *training_steps) > 1 + kLeastGain) {
    row.reason = "kept: " + pays + of;
    return;
  }
  row.kept = false;
  row.reason = "compiles for about " + about(cost->seconds) + " s, which " + pays + of;
}

}  // namespace flatout::apply
