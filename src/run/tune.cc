#include "run/tune.h"

namespace flatout::run {

std::string_view loss_gate_name(LossGate gate) {
  switch (gate) {
    case LossGate::kNotNeeded:
      return "not_needed";
    case LossGate::kPassed:
      return "passed";
    case LossGate::kFailed:
      return "failed";
    case LossGate::kInconclusive:
      break;
  }
  return "inconclusive";
}

}  // namespace flatout::run
