// batch.accumulate: a batch trained in k parts, so that it needs less memory, or parts
// joined where a framework accumulates, which costs fewer launches. What an update sees
// stays; BatchNorm and sums over a batch see parts, so it changes training.
#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// "1/4": four that were accumulated become one. All of them first, then two and two.
Proposal propose_batch_accumulate(const Situation& now) {
  const auto& model = now.report.model;
  const int accumulated = model ? model->accumulated.value_or(1) : 1;
  if (accumulated < 2) {
    return {.why_not = "no framework accumulates batches that could be joined"};
  }
  Proposal proposal;
  for (const int joined : {accumulated, 2}) {
    if (accumulated % joined != 0) continue;
    proposal.candidates.push_back({.value = "\"1/" + std::to_string(joined) + "\"",
                                   .from = "1",
                                   .predicted = std::nullopt,
                                   .confidence = 0.5});
    if (accumulated == 2) break;
  }
  return proposal;
}

std::string text_of(const std::string& literal) {
  const bool quoted = literal.size() > 2 && literal.front() == '"';
  return quoted ? literal.substr(1, literal.size() - 2) : literal;
}

ByHand batch_accumulate_by_hand(const std::string& value) {
  const std::string factor = text_of(value);
  if (factor.starts_with("1/")) {
    const std::string joined = factor.substr(2);
    return {.script = "transformers.Trainer and Lightning alone: batches " + joined +
                      " times as large, accumulated 1/" + joined + " times as often",
            .hf = "gradient_accumulation_steps divided by " + joined +
                  ", per_device_train_batch_size times " + joined,
            .lightning = "accumulate_grad_batches divided by " + joined +
                         ", and batch_size of the DataLoader times " + joined};
  }
  return {.script = "batch_size of the DataLoader divided by " + factor + ", (loss / " + factor +
                    ").backward(), and clipping, optimizer.step(), zero_grad() and " +
                    "scheduler.step() with the last of each " + factor + " batches only",
          .hf = "gradient_accumulation_steps times " + factor +
                ", per_device_train_batch_size divided by " + factor,
          .lightning = "accumulate_grad_batches times " + factor +
                       ", and batch_size of the DataLoader divided by " + factor};
}

std::string present_batch_accumulate(const run::Report&) { return "1"; }

}  // namespace

const Knob& batch_accumulate() {
  static const Knob knob = {.id = "batch.accumulate",
                            .short_name = "accumulate",
                            .risk = run::Risk::kChangesTraining,
                            .changes = KnobChanges::kTraining,
                            .needs =
                                "a loop that makes one update with each batch, "
                                "transformers.Trainer or Lightning",
                            .propose = propose_batch_accumulate,
                            .by_hand = batch_accumulate_by_hand,
                            .grid = {"2", "4", "8"},
                            .present = present_batch_accumulate};
  return knob;
}

}  // namespace flatout::apply
