#include "run/step_ranges.h"

#include <algorithm>
#include <tuple>

#include "base/ascii.h"
#include "run/host_calls.h"
#include "run/range_words.h"

namespace flatout::run {
namespace {

constexpr std::size_t kLeastRanges = 3;
constexpr std::size_t kLeastWorkingRanges = 8;
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

}  // namespace

void StepRangeFinder::Group::add(const HostSpan& span, std::size_t at_depth, bool keep) {
  if (count == 0) {
    first_ns = last_ns = span.begin_ns;
    depth = at_depth;
    lane = span.lane;
    kind = span.kind;
  }
  const bool across_it = span.kind == HostSpanKind::kRange && span.end_ns > last_ns;
  if (span.begin_ns < last_ns && !across_it) return;  // within one of its own
  if (span.begin_ns < last_ns) ++across;
  const std::int64_t begin_ns = std::max(span.begin_ns, last_ns);
  if (called_step && keep) extents.push_back({.begin_ns = begin_ns, .end_ns = span.end_ns});
  names.insert(span.name);
  ++count;
  filled_ns += span.end_ns - begin_ns;
  last_ns = span.end_ns;
}

bool StepRangeFinder::Group::fills_the_time() const {
  if (across != 0 && !called_step) return false;
  return count >= kLeastRanges && 2 * filled_ns >= last_ns - first_ns;
}

std::optional<std::uint16_t> StepRangeFinder::Group::launching_lane() const {
  return kind == HostSpanKind::kRange ? std::nullopt : std::optional(lane);
}

std::size_t StepRangeFinder::Group::launched(const LaunchTimes& launches) const {
  const std::vector<std::int64_t>& times = launches.of(launching_lane());
  std::size_t count_in = 0;
  for (const Extent& range : extents) {
    count_in += launches_between(times, range.begin_ns, range.end_ns);
  }
  return count_in;
}

bool StepRangeFinder::Group::does_the_work(const LaunchTimes& launches) const {
  if (!called_step || extents.size() < kLeastWorkingRanges) return false;
  const std::vector<std::int64_t>& own = launches.of(launching_lane());
  const std::vector<std::int64_t>& times = own.empty() ? launches.of(std::nullopt) : own;
  std::size_t turns = 0, all = 0;
  std::int64_t last_end_ns = first_ns;
  for (const Extent& range : extents) {
    const std::size_t before = launches_between(times, last_end_ns, range.begin_ns);
    const std::size_t within = launches_between(times, range.begin_ns, range.end_ns);
    turns += within > 0 && within >= before ? 1 : 0;
    all += before + within;
    last_end_ns = range.end_ns;
  }
  return turns * 4 >= extents.size() * 3 && all * 2 >= times.size();
}

void StepRangeFinder::add(const HostSpan& span) {
  if (span.kind == HostSpanKind::kCall && launches(span.name)) {
    launches_.add(span.lane, span.begin_ns);
  }
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
  auto known = groups_.find(key);
  if (known == groups_.end()) {
    if (groups_.size() == kMostGroups) return;
    known = groups_.emplace(key, Group()).first;
    known->second.called_step = range_name(names_.at(span.name)) == RangeName::kStep;
  }
  known->second.add(span, depth, !launches_.full());
}

// Those that call themselves a step; where there are none, all.
std::vector<StepRangeFinder::Candidate> StepRangeFinder::candidates() const {
  std::vector<Candidate> steps, others;
  for (const auto& [key, group] : groups_) {
    if (!group.fills_the_time() && !group.does_the_work(launches_)) continue;
    if (group.called_step) {
      steps.emplace_back(&group, group.launched(launches_));
    } else {
      others.emplace_back(&group, 0);
    }
  }
  return steps.empty() ? others : steps;
}

std::optional<StepRanges> StepRangeFinder::best() const {
  const std::vector<Candidate> all = candidates();
  std::size_t most = 0;
  for (const auto& [group, launched] : all) most = std::max(most, launched);
  const auto rank = [&](const Candidate& one) {
    const auto& [group, launched] = one;
    return std::tuple(2 * launched < most, group->depth, -static_cast<std::int64_t>(launched),
                      -group->filled_ns);
  };
  const auto found = std::ranges::min_element(all, {}, rank);
  if (found == all.end()) return std::nullopt;
  const Group& group = *found->first;
  return StepRanges{.lane = group.lane, .kind = group.kind, .names = group.names};
}

// "" of one that is no step.
const std::string& StepRangeFinder::name_of(std::uint32_t number) {
  const auto known = common_.find(number);
  if (known != common_.end()) return known->second;
  const std::string_view name = names_.at(number);
  std::string common = common_name(name);
  if (range_name(name) == RangeName::kNone || (is_other_ && is_other_(name))) common.clear();
  return common_.emplace(number, std::move(common)).first->second;
}

bool StepRangeFinder::launches(std::uint32_t name) {
  if (name >= launching_.size()) launching_.resize(std::max<std::size_t>(name + 1, names_.size()));
  if (!launching_[name]) launching_[name] = is_launch_call(names_.at(name));
  return *launching_[name];
}

}  // namespace flatout::run
