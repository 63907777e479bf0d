#include "analyse/repeating/kernel_period.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "analyse/repeating/period_levels.h"
#include "analyse/repeating/recurrence.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kMostPeriodsLookedAt = 64;

// Evenly over all, at most kMostPeriodsLookedAt.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& all) {
  if (all.size() <= kMostPeriodsLookedAt) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < kMostPeriodsLookedAt; ++i) {
    some.push_back(all[i * all.size() / kMostPeriodsLookedAt]);
  }
  return some;
}

// Where periods begin that have the usual length, to the activity where there are any.
std::vector<std::size_t> usual_periods(const Recurrence& anchor) {
  std::vector<std::size_t> exact, near;
  for (std::size_t i = 0; i + 1 < anchor.starts.size(); ++i) {
    const std::size_t distance = anchor.starts[i + 1].at - anchor.starts[i].at;
    if (anchor.starts[i + 1].part != anchor.starts[i].part) continue;
    if (distance == anchor.length) exact.push_back(anchor.starts[i].at);
    if (is_about(distance, anchor.length)) near.push_back(anchor.starts[i].at);
  }
  return some_of(exact.size() >= 2 ? exact : near);
}

// The offset from the anchor, of those within a period, before which the device idles longest.
std::size_t longest_idle_at(const KernelSequence& sequence, const Recurrence& anchor) {
  const std::vector<std::size_t> periods = usual_periods(anchor);
  std::vector<std::uint32_t> idle;
  std::size_t best = 0;
  std::uint32_t longest = 0;
  for (std::size_t offset = 0; offset < anchor.length; ++offset) {
    idle.clear();
    for (const std::size_t begin : periods) {
      if (begin + offset < sequence.idle_ns.size()) {
        idle.push_back(sequence.idle_ns[begin + offset]);
      }
    }
    if (idle.empty()) continue;
    const auto middle = idle.begin() + static_cast<std::ptrdiff_t>(idle.size() / 2);
    std::ranges::nth_element(idle, middle);
    if (*middle <= longest) continue;
    longest = *middle;
    best = offset;
  }
  return best;
}

}  // namespace

std::optional<KernelPeriod> find_kernel_period(const KernelSequence& sequence) {
  std::vector<PeriodLevel> levels = period_levels(find_recurrences(sequence));
  keep_repeated_content(sequence, levels);
  const PeriodLevel* level = level_of_steps(sequence, levels);
  if (level == nullptr) return std::nullopt;
  const Recurrence& anchor = level->anchor();
  const std::size_t begins_at = longest_idle_at(sequence, anchor);
  return KernelPeriod{.anchor = anchor.symbol,
                      .length = anchor.length,
                      .burst = anchor.burst,
                      .before = begins_at == 0 ? 0 : anchor.length - begins_at,
                      .regular = anchor.regular_share()};
}

}  // namespace flatout::analyse
