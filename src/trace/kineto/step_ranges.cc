#include "trace/kineto/step_ranges.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/kineto/span_phase.h"

namespace flatout::trace {
namespace {

using run::HostSpan;
using run::HostSpanKind;

constexpr std::size_t kLeastRanges = 3;
constexpr std::size_t kMostGroups = 4096;  // names without digits, on all threads

// In small letters, each run of digits as one mark.
std::string common_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= '0' && c <= '9') {
      if (out.empty() || out.back() != '#') out += '#';
    } else {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
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

// The ranges of one name on one thread.
struct Group {
  std::set<std::uint32_t> names;
  bool called_step = false;
  std::size_t count = 0;
  std::size_t depth = 0;  // of the first one, in ranges
  std::int64_t first_ns = 0, last_ns = 0, filled_ns = 0;

  void add(const HostSpan& span, std::size_t at_depth) {
    if (count == 0) {
      first_ns = last_ns = span.begin_ns;
      depth = at_depth;
    }
    if (span.begin_ns < last_ns) return;  // within one of its own
    names.insert(span.name);
    ++count;
    filled_ns += span.end_ns - span.begin_ns;
    last_ns = span.end_ns;
  }
  bool repeats() const { return count >= kLeastRanges && 2 * filled_ns >= last_ns - first_ns; }
};

class Groups {
 public:
  explicit Groups(const run::NameTable& names) : names_(names) {}

  void add(const HostSpan& span) {
    std::vector<std::int64_t>& open = open_[span.lane];
    while (!open.empty() && open.back() <= span.begin_ns) open.pop_back();
    const std::string& name = name_of(span.name);
    if (!name.empty()) {
      const std::pair key(span.lane, name);
      const auto known = groups_.find(key);
      if (known != groups_.end()) {
        known->second.add(span, open.size());
      } else if (groups_.size() < kMostGroups) {
        Group& group = groups_[key];
        group.called_step = is_called_step(name);
        group.add(span, open.size());
      }
    }
    open.push_back(span.end_ns);
  }
  std::optional<StepRanges> best() const {
    const Group* found = nullptr;
    std::uint16_t lane = 0;
    const auto rank = [](const Group& group) {
      return std::tuple(!group.called_step, group.depth, -group.filled_ns);
    };
    for (const auto& [key, group] : groups_) {
      if (!group.repeats() || (found != nullptr && rank(group) >= rank(*found))) continue;
      found = &group;
      lane = key.first;
    }
    if (found == nullptr) return std::nullopt;
    return StepRanges{.lane = lane, .names = found->names};
  }

 private:
  // "" of one that is no step.
  const std::string& name_of(std::uint32_t number) {
    const auto known = common_.find(number);
    if (known != common_.end()) return known->second;
    const std::string_view name = names_.at(number);
    std::string common = common_name(name);
    if (is_called_otherwise(common) || span_phase(HostSpanKind::kAnnotation, name)) common.clear();
    return common_.emplace(number, std::move(common)).first->second;
  }

  const run::NameTable& names_;
  std::map<std::uint32_t, std::string> common_;
  std::map<std::pair<std::uint16_t, std::string>, Group> groups_;
  std::map<std::uint16_t, std::vector<std::int64_t>> open_;
};

}  // namespace

std::optional<StepRanges> find_step_ranges(std::span<const HostSpan> spans,
                                           const run::NameTable& names) {
  Groups groups(names);
  for (const HostSpan& span : spans) {
    if (span.kind == HostSpanKind::kAnnotation) groups.add(span);
  }
  return groups.best();
}

}  // namespace flatout::trace
