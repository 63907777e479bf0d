// batch.size: samples in a batch. Changes training: another effective batch, and with
// it another learning rate. What tune tries comes from its search (batch_search.h).
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// Not one of the grid, either: the search goes by what the trials before it measured.
Proposal propose_batch_size(const Situation&) {
  return {.why_not = "no time was left to search for it", .impossible = true};
}

std::string factor(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "x%.4g", value);
  return text;
}

// As hooks/knobs/lr_rule.py does it, which also names the sources.
std::string learning_rate(const std::string& from, const std::string& to) {
  const double own = std::strtod(from.c_str(), nullptr);
  const double ratio = own > 0 ? std::strtod(to.c_str(), nullptr) / own : 0;
  if (!(ratio > 0)) return "learning rate by its rule, see docs/knobs/batch.size.md";
  return "learning rate " + factor(ratio) + " with SGD" +
         (ratio > 1 ? ", by a ramp over 5 epochs" : "") + "; " + factor(std::sqrt(ratio)) +
         " with Adam, AdamW, NAdam, RAdam, RMSprop";
}

}  // namespace

const Knob& batch_size() {
  static const Knob knob =
      declared(run::knob_id::kBatchSize, {.propose = propose_batch_size, .along = learning_rate});
  return knob;
}

}  // namespace flatout::apply
