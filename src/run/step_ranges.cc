#include "run/step_ranges.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/ascii.h"

namespace flatout::run {
namespace {

constexpr std::size_t kLeastRanges = 3;
constexpr std::size_t kMostGroups = 4096;  // names without digits, on all threads

// In small letters, each run of digits as one mark.
std::string common_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= '0' && c <= '9') {
      if (out.empty() || out.back() != '#') out += '#';
    } else {
      out += base::lower(c);
    }
  }
  return out;
}

template <std::size_t kCount>
bool holds_one_of(const std::string& name, const std::array<std::string_view, kCount>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.contains(word); });
}

bool is_called_step(const std::string& name) {
  return holds_one_of(name, std::to_array<std::string_view>({"step", "iter", "batch"}));
}

bool is_called_otherwise(const std::string& name) {
  return holds_one_of(name, std::to_array<std::string_view>({"epoch", "eval", "valid", "test"}));
}

}  // namespace

void StepRangeFinder::Group::add(const HostSpan& span, std::size_t at_depth) {
  if (count == 0) {
    first_ns = last_ns = span.begin_ns;
    depth = at_depth;
    lane = span.lane;
  }
  const bool across_it = span.kind == HostSpanKind::kRange && span.end_ns > last_ns;
  if (span.begin_ns < last_ns && !across_it) return;  // within one of its own
  if (span.begin_ns < last_ns) ++across;
  names.insert(span.name);
  ++count;
  filled_ns += span.end_ns - std::max(span.begin_ns, last_ns);
  last_ns = span.end_ns;
}

bool StepRangeFinder::Group::repeats() const {
  if (across != 0 && !called_step) return false;
  return count >= kLeastRanges && 2 * filled_ns >= last_ns - first_ns;
}

void StepRangeFinder::add(const HostSpan& span) {
  if (span.kind == HostSpanKind::kRange) return add_at(span, 0, 0);
  if (span.kind != HostSpanKind::kAnnotation) return;
  std::vector<std::int64_t>& open = open_[span.lane];
  while (!open.empty() && open.back() <= span.begin_ns) open.pop_back();
  add_at(span, span.lane, open.size());
  open.push_back(span.end_ns);
}

void StepRangeFinder::add_at(const HostSpan& span, std::uint16_t lane, std::size_t depth) {
  const std::string& name = name_of(span.name);
  if (name.empty()) return;
  const Key key{span.kind, lane, name};
  const auto known = groups_.find(key);
  if (known != groups_.end()) {
    known->second.add(span, depth);
  } else if (groups_.size() < kMostGroups) {
    Group& group = groups_[key];
    group.called_step = is_called_step(name);
    group.add(span, depth);
  }
}

std::optional<StepRanges> StepRangeFinder::best() const {
  const Group* found = nullptr;
  HostSpanKind kind = HostSpanKind::kAnnotation;
  const auto rank = [](const Group& group) {
    return std::tuple(!group.called_step, group.depth, -group.filled_ns);
  };
  for (const auto& [key, group] : groups_) {
    if (!group.repeats() || (found != nullptr && rank(group) >= rank(*found))) continue;
    found = &group;
    kind = key.kind;
  }
  if (found == nullptr) return std::nullopt;
  return StepRanges{.lane = found->lane, .kind = kind, .names = found->names};
}

// "" of one that is no step.
const std::string& StepRangeFinder::name_of(std::uint32_t number) {
  const auto known = common_.find(number);
  if (known != common_.end()) return known->second;
  const std::string_view name = names_.at(number);
  std::string common = common_name(name);
  if (is_called_otherwise(common) || (is_other_ && is_other_(name))) common.clear();
  return common_.emplace(number, std::move(common)).first->second;
}

}  // namespace flatout::run
