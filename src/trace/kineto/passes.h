// Backward passes, and the forward passes before them, where no span says when they begin and end.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/kineto/phase_spans.h"

namespace flatout::trace {

// Calls of one kind come in order of time.
class Passes {
 public:
  void function(std::int64_t begin_ns, std::int64_t end_ns) {  // of autograd
    functions_.push_back({begin_ns, end_ns, run::Phase::kBackward});
  }
  // An update begins or a marked step ends: no backward pass goes across.
  void update(std::int64_t t_ns) { updates_.push_back(t_ns); }
  // A batch fetch or an update ended: no forward pass goes across.
  void boundary(std::int64_t t_ns) { boundaries_.push_back(t_ns); }
  // The first op after a boundary may begin a forward pass.
  void op(std::int64_t begin_ns);
  // The trace has spans of modules: none is derived.
  void forward_seen() { forward_seen_ = true; }

  void add_to(std::vector<PhaseSpan>& phases) const;

 private:
  std::vector<PhaseSpan> backward_passes() const;

  std::vector<PhaseSpan> functions_;
  std::vector<std::int64_t> updates_, boundaries_, ops_;
  bool forward_seen_ = false;
};

}  // namespace flatout::trace
