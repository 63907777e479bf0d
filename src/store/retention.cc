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

// A whole number above 0 and one of `units`; `letterless` is the factor of a
// number alone, 0 = a unit is wanted.
std::optional<std::uint64_t> parse(std::string_view text, std::span<const Unit> units,
                                   std::uint64_t letterless) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  std::uint64_t factor = rest.empty() ? letterless : 0;
  for (const auto& unit : units) {
    if (rest.size() == 1 && rest[0] == unit.letter) factor = unit.factor;
  }
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (factor == 0 || number > kMost / factor) return std::nullopt;
  return number * factor;
}

constexpr std::uint64_t kSeconds = 1'000'000'000;
constexpr Unit kAges[] = {{'s', kSeconds},
                          {'m', 60 * kSeconds},
                          {'h', 3600 * kSeconds},
                          {'d', 86400 * kSeconds},
                          {'w', 7ULL * 86400 * kSeconds}};
constexpr Unit kSizes[] = {
    {'K', 1ULL << 10}, {'M', 1ULL << 20}, {'G', 1ULL << 30}, {'T', 1ULL << 40}};

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
  if (const auto age = parse(text, kAges, 0)) return static_cast<base::DurationNs>(*age);
  return base::fail(ErrorCode::kInvalid,
                    "'" + std::string(text) + "' is no age; give 90m, 12h, 30d or 2w");
}

Result<std::uint64_t> parse_size(std::string_view text) {
  if (const auto size = parse(text, kSizes, 1)) return *size;
  return base::fail(ErrorCode::kInvalid,
                    "'" + std::string(text) + "' is no size; give 500M, 20G or 1T");
}

std::vector<RunFamily> expired(const std::vector<CatalogEntry>& runs, const RetentionPolicy& policy,
                               base::WallNs now) {
  std::vector<RunFamily> oldest_first = families(runs);
  std::ranges::stable_sort(oldest_first, {},
                           [](const RunFamily& one) { return one.run.started_wall_ns; });
  std::uint64_t total = 0;
  for (const auto& run : runs) total += run.bytes;
  std::vector<RunFamily> out;
  for (RunFamily& family : oldest_first) {
    const base::WallNs ended = family.run.started_wall_ns + duration_of(family);
    const bool old = policy.older_than && now - ended > *policy.older_than;
    const bool too_much = policy.max_total_bytes && total > *policy.max_total_bytes;
    if (!(old || too_much) || !may_go(family, policy)) continue;
    total -= bytes_of(family);
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
