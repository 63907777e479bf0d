#include "serve/series/pyramid.h"

#include <algorithm>
#include <cmath>

namespace flatout::serve {

void include(Pyramid::Entry& to, const Pyramid::Entry& entry) {
  if (!(to.min <= entry.min) && entry.min == entry.min) to.min = entry.min;
  if (!(to.max >= entry.max) && entry.max == entry.max) to.max = entry.max;
  to.t_ns = entry.t_ns;
  to.step = entry.step;
  to.last = entry.last;
  to.sum += entry.sum;
  to.finite += entry.finite;
}

void Pyramid::add(std::int64_t t_ns, std::int64_t step, double value) {
  const bool finite = std::isfinite(value);
  if (count_ == 0) {
    first_ns_ = t_ns;
    first_step_ = step;
    first_ = value;
  } else {
    t_ns = std::max(t_ns, whole_.t_ns);
    steps_ascend_ = steps_ascend_ && step >= whole_.step;
  }
  has_steps_ = has_steps_ && step != kNoStep;
  ++count_;
  const double shown = finite ? value : std::numeric_limits<double>::quiet_NaN();
  const Entry one{.t_ns = t_ns,
                  .step = step,
                  .min = shown,
                  .max = shown,
                  .last = value,
                  .sum = finite ? value : 0,
                  .finite = finite ? 1U : 0U};
  include(whole_, one);
  Level& base = levels_[0];
  include(base.open, one);
  if (++base.in_open < kBasePoints) return;
  const Entry full = base.open;
  base.entries.push_back(full);
  base.open = {};
  base.in_open = 0;
  add_to(1, full);
}

// A level is worth having once there is more than a screen of the one below.
void Pyramid::add_to(std::size_t level, const Entry& entry) {
  if (level == levels_.size()) {
    if (levels_[level - 1].entries.size() < kFanOut * 64) return;
    levels_.emplace_back();
    const auto below = levels_[level - 1].entries;  // the last of it is `entry`
    for (const Entry& one : below) add_to(level, one);
    return;
  }
  Level& to = levels_[level];
  include(to.open, entry);
  if (++to.in_open < kFanOut) return;
  const Entry full = to.open;
  to.entries.push_back(full);
  to.open = {};
  to.in_open = 0;
  add_to(level + 1, full);
}

// The open entry of a level lacks what is still open below.
std::size_t Pyramid::size(std::size_t level) const {
  bool open = false;
  for (std::size_t l = 0; l <= level; ++l) open = open || levels_[l].in_open > 0;
  return levels_[level].entries.size() + (open ? 1 : 0);
}

Pyramid::Entry Pyramid::entry(std::size_t level, std::size_t number) const {
  const Level& at = levels_[level];
  if (number < at.entries.size()) return at.entries[number];
  Entry open;
  for (std::size_t l = level + 1; l-- > 0;) {
    if (levels_[l].in_open > 0) include(open, levels_[l].open);
  }
  return open;
}

std::vector<Pyramid::Entry> Pyramid::entries(std::size_t level, std::size_t first,
                                             std::size_t last) const {
  std::vector<Entry> out;
  out.reserve(last - first);
  const Level& at = levels_[level];
  const std::size_t full = std::min(last, at.entries.size());
  if (first < full) {
    out.assign(at.entries.begin() + static_cast<std::ptrdiff_t>(first),
               at.entries.begin() + static_cast<std::ptrdiff_t>(full));
  }
  if (last > at.entries.size()) out.push_back(entry(level, at.entries.size()));
  return out;
}

std::size_t Pyramid::bytes() const {
  std::size_t sum = sizeof *this;
  for (const Level& level : levels_) {
    sum += sizeof level + level.entries.capacity() * sizeof(Entry);
  }
  return sum;
}

}  // namespace flatout::serve
