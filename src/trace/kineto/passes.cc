#include "trace/kineto/passes.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace flatout::trace {
namespace {

// The last of the sorted times that is at most `t_ns`.
std::int64_t last_until(const std::vector<std::int64_t>& times, std::int64_t t_ns) {
  const auto after = std::ranges::upper_bound(times, t_ns);
  return after == times.begin() ? std::numeric_limits<std::int64_t>::min() : *std::prev(after);
}

}  // namespace

void Passes::op(std::int64_t begin_ns) { ops_.push_back(begin_ns); }

std::vector<PhaseSpan> Passes::backward_passes() const {
  std::vector<std::int64_t> updates = updates_;
  std::ranges::sort(updates);
  auto next = updates.begin();
  std::vector<PhaseSpan> passes;
  bool open = false;
  for (const PhaseSpan& function : functions_) {
    for (; next != updates.end() && *next <= function.begin_ns; ++next) open = false;
    if (open) {
      passes.back().end_ns = std::max(passes.back().end_ns, function.end_ns);
    } else {
      passes.push_back(function);
      open = true;
    }
  }
  return passes;
}

void Passes::add_to(std::vector<PhaseSpan>& phases) const {
  std::vector<std::int64_t> boundaries = boundaries_;
  std::ranges::sort(boundaries);
  std::int64_t last_end = std::numeric_limits<std::int64_t>::min();
  for (const PhaseSpan& pass : backward_passes()) {
    phases.push_back(pass);
    const std::int64_t from = std::max(last_until(boundaries, pass.begin_ns), last_end);
    last_end = pass.end_ns;
    if (forward_seen_) continue;
    const auto first = std::ranges::lower_bound(ops_, from);
    if (first == ops_.end() || *first >= pass.begin_ns) continue;
    phases.push_back({*first, pass.begin_ns, run::Phase::kForward});
  }
}

}  // namespace flatout::trace
