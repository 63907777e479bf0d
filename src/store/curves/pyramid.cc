#include "store/curves/pyramid.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "base/little_endian.h"

namespace flatout::store {

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
  Summary& all = summary_;
  if (all.count == 0) {
    all.first_ns = t_ns;
    all.first_step = step;
    all.first = value;
  } else {
    t_ns = std::max(t_ns, all.whole.t_ns);
    all.steps_ascend = all.steps_ascend && step >= all.whole.step;
  }
  all.has_steps = all.has_steps && step != kNoStep;
  ++all.count;
  const double shown = finite ? value : std::numeric_limits<double>::quiet_NaN();
  const Entry one{.t_ns = t_ns,
                  .step = step,
                  .min = shown,
                  .max = shown,
                  .last = value,
                  .sum = finite ? value : 0,
                  .finite = finite ? 1U : 0U};
  include(all.whole, one);
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

void Pyramid::append_levels(std::string& out) const {
  base::append(out, std::uint64_t{levels_.size()});
  for (const Level& level : levels_) {
    base::append(out, std::uint64_t{level.entries.size()});
    base::append(out, std::uint64_t{level.in_open});
    base::append(out, level.open);
    const auto bytes = std::as_bytes(std::span(level.entries));
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

namespace {

constexpr std::size_t kLevelHeadBytes = 16 + sizeof(Pyramid::Entry);
constexpr std::size_t kMostPyramidLevels = 16;  // 32 * 16^15 points

// In order, and within the times of all points.
bool ascend(std::span<const Pyramid::Entry> entries, const Pyramid::Summary& all) {
  if (entries.empty()) return true;
  return entries.front().t_ns >= all.first_ns && entries.back().t_ns <= all.whole.t_ns &&
         std::ranges::is_sorted(entries, {}, &Pyramid::Entry::t_ns) &&
         (!all.steps_ascend || std::ranges::is_sorted(entries, {}, &Pyramid::Entry::step));
}

}  // namespace

bool Pyramid::set_levels(std::string_view bytes) {
  const auto take = [&bytes]<typename T>(T& out) {
    if (bytes.size() < sizeof out) return false;
    out = base::load<T>(bytes, 0);
    bytes.remove_prefix(sizeof out);
    return true;
  };
  std::uint64_t count = 0;
  if (!take(count) || count < 1 || count > kMostPyramidLevels) return false;
  std::vector<Level> levels(static_cast<std::size_t>(count));
  std::uint64_t below = summary_.count;  // points, then entries of the level below
  for (std::size_t l = 0; l < levels.size(); ++l) {
    Level& level = levels[l];
    const std::size_t in_full = l == 0 ? kBasePoints : kFanOut;
    std::uint64_t full = 0, in_open = 0;
    if (bytes.size() < kLevelHeadBytes || !take(full) || !take(in_open) || !take(level.open)) {
      return false;
    }
    if (full != below / in_full || in_open != below % in_full ||
        full > bytes.size() / sizeof(Entry)) {
      return false;
    }
    level.in_open = static_cast<std::size_t>(in_open);
    level.entries.resize(static_cast<std::size_t>(full));
    std::memcpy(level.entries.data(), bytes.data(), level.entries.size() * sizeof(Entry));
    bytes.remove_prefix(level.entries.size() * sizeof(Entry));
    if (!ascend(level.entries, summary_)) return false;
    if (in_open > 0 && !ascend({&level.open, 1}, summary_)) return false;
    below = full;
  }
  if (!bytes.empty()) return false;
  levels_ = std::move(levels);
  return true;
}

}  // namespace flatout::store
