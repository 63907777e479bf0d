#include "store/retention.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace flatout::store {
namespace {

using base::ErrorCode;
using base::Result;

struct Unit {
  char letter;
  std::uint64_t factor;
};

constexpr std::uint64_t kSeconds = 1'000'000'000;
constexpr Unit kAges[] = {{'s', kSeconds},
                          {'m', 60 * kSeconds},
                          {'h', 3600 * kSeconds},
                          {'d', 86400 * kSeconds},
                          {'w', 7ULL * 86400 * kSeconds}};

std::optional<std::uint64_t> age_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  std::uint64_t factor = 0;
  for (const auto& unit : kAges) {
    if (rest.size() == 1 && rest[0] == unit.letter) factor = unit.factor;
  }
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (factor == 0 || number > kMost / factor) return std::nullopt;
  return number * factor;
}

bool may_go(const CatalogEntry& run, const RetentionPolicy& policy) {
  if (run.state == run::RunState::kRunning || !run.problem.empty()) return false;
  return !(policy.keep_tagged && !all_tags(run.meta).empty());
}

bool goes_on(const RunFamily& family, const RetentionPolicy& policy) {
  return policy.in_use && policy.in_use(family.run.id);
}

// As a whole: a tune without some of its trials is of no use.
bool may_go(const RunFamily& family, const RetentionPolicy& policy) {
  const bool each = may_go(family.run, policy) &&
                    std::ranges::all_of(family.trials, [&](const CatalogEntry& trial) {
                      return may_go(trial, policy);
                    });
  return each && !goes_on(family, policy);
}

}  // namespace

Result<base::DurationNs> parse_age(std::string_view text) {
  if (const auto age = age_of(text)) return static_cast<base::DurationNs>(*age);
  return base::fail(ErrorCode::kInvalid,
                    "'" + std::string(text) + "' is no age; give 90m, 12h, 30d or 2w");
}

std::vector<RunFamily> expired(const std::vector<CatalogEntry>& runs, const RetentionPolicy& policy,
                               base::WallNs now) {
  std::vector<RunFamily> oldest_first = families(runs);
  std::ranges::stable_sort(oldest_first, {},
                           [](const RunFamily& one) { return one.run.started_wall_ns; });
  std::vector<RunFamily> out;
  for (RunFamily& family : oldest_first) {
    const base::WallNs ended = family.run.started_wall_ns + duration_of(family);
    const bool old = policy.older_than && now - ended > *policy.older_than;
    if (!old || !may_go(family, policy)) continue;
    out.push_back(std::move(family));
  }
  return out;
}

Result<Removed> remove_expired(const Home& home, const RetentionPolicy& policy,
                               const Viewpoint& from) {
  const auto listing = list_catalog(home, from);
  if (!listing) return std::unexpected(listing.error());
  Removed removed;
  for (RunFamily& family : expired(listing->runs, policy, from.wall_ns)) {
    if (goes_on(family, policy)) continue;  // since it was listed
    if (auto done = remove_family(home, ids_of(family), from); !done) {
      removed.problems.push_back(done.error().message);
    } else {
      removed.families.push_back(std::move(family));
    }
  }
  return removed;
}

}  // namespace flatout::store
