// The losses of a trial, for the loss gate. Pure; any thread.
//
// Looked for in this order: what --loss names; what the hooks saw at backward();
// what the program logged (flatout_log) as "loss", "train_loss" or "train/loss".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/event.h"
#include "run/records.h"

namespace flatout::trial {

// What --loss says: one of both, or none.
struct LossSource {
  std::string log_name;  // log:NAME
  std::string printed;   // a regular expression with one group, over the program's output
};

// kInvalid names --loss: no name, no regular expression (ECMAScript), not one group.
base::Result<LossSource> parse_loss_source(const std::string& text);

// From the first one on, in the program's order, up to the first that is missing:
// with steps, the first that breaks their stride. `accumulated` is how many batches a
// framework makes an update of: it divides each loss by that before backward, where the
// hooks see it, and what comes out is the batch's own again. What a program logs is
// taken as it is.
std::vector<double> logged_losses(const run::Records<run::NamedValue>& values,
                                  const LossSource& source, int accumulated = 1);

// What the group matches, one a line, where it is a number (also nan and inf). A
// line ends at a line feed or a carriage return; of a long one the first 1000 bytes count.
std::vector<double> printed_losses(std::string_view output, const std::string& pattern);

}  // namespace flatout::trial
