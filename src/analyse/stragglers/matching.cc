#include "analyse/stragglers/matching.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace flatout::analyse {
namespace {

using Lane = std::vector<RankCollective>;

// The ends of two ranks' collectives agree within the greater of the two.
constexpr double kSameEndNs = 200e3;
constexpr double kSameEndOfDistance =
    0.1;                             // of the median distance from one collective to the next
constexpr double kMostUnlike = 0.1;  // of the pairs, in what they are
constexpr double kBetter = 0.5;      // than without a shift, to be believed
constexpr double kSureNs = 10e3;     // steps are not that even: no shift is looked for
constexpr std::size_t kSampled = 1000;
constexpr std::ptrdiff_t kFewestPairs = 3;  // whose ends can agree by more than chance

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

bool alike(const RankCollective& a, const RankCollective& b) {
  if (a.kind != b.kind) return false;
  return a.kind != CollectiveKind::kAllReduce || a.elements == b.elements;
}

double difference(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) - static_cast<double>(b);
}

// Of the ends of the pairs: the median difference, and how far from it they are.
struct Agreement {
  double ahead_ns = 0;
  double spread_ns = 0;
};

class Pairs {
 public:
  void add(const RankCollective& first, const RankCollective& second) {
    differences_.push_back(difference(second.end_ns, first.end_ns));
    if (!alike(first, second)) ++unlike_;
  }
  std::size_t size() const { return differences_.size(); }
  std::optional<Agreement> agreement() {
    const auto count = static_cast<double>(differences_.size());
    if (differences_.empty() || static_cast<double>(unlike_) > kMostUnlike * count) return {};
    Agreement result;
    result.ahead_ns = median_of(differences_);
    for (double& value : differences_) value = std::abs(value - result.ahead_ns);
    result.spread_ns = median_of(differences_);
    return result;
  }

 private:
  std::vector<double> differences_;
  std::size_t unlike_ = 0;
};

double median_distance(const Lane& lane) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < lane.size(); ++i) {
    distances.push_back(difference(lane[i].end_ns, lane[i - 1].end_ns));
  }
  return distances.empty() ? 0 : median_of(distances);
}

// By how much the difference of two ends may differ from that of the clocks.
double tolerance_ns(const Lane& lane) {
  return std::max(kSameEndNs, kSameEndOfDistance * median_distance(lane));
}

// Of `second`, beside the i-th of `first` stands the (i + shift)-th.
std::optional<Agreement> at_shift(const Lane& first, const Lane& second, std::ptrdiff_t shift) {
  const auto begin = std::max<std::ptrdiff_t>(0, -shift);
  const auto end = std::min(std::ssize(first), std::ssize(second) - shift);
  const auto least = (std::min(std::ssize(first), std::ssize(second)) + 1) / 2;
  if (end - begin < std::max(kFewestPairs, least)) return std::nullopt;
  Pairs pairs;
  const auto stride = 1 + (end - begin) / static_cast<std::ptrdiff_t>(kSampled);
  for (std::ptrdiff_t i = begin; i < end; i += stride) {
    pairs.add(first[static_cast<std::size_t>(i)], second[static_cast<std::size_t>(i + shift)]);
  }
  return pairs.agreement();
}

// How one rank's lane lies beside that of the group's first rank.
struct Tie {
  std::vector<std::ptrdiff_t> place;  // in it, by the first's; -1 = none
  Agreement agreement;
};

// Index of the end that is nearest to `end_ns`, by the ends of a lane in order.
std::ptrdiff_t nearest(const std::vector<double>& ends, double end_ns) {
  const auto after = std::ranges::lower_bound(ends, end_ns);
  if (after == ends.begin()) return 0;
  const bool before = after == ends.end() || end_ns - *std::prev(after) <= *after - end_ns;
  return after - ends.begin() - (before ? 1 : 0);
}

// Ends since the first one's, so that a double holds them to the nanosecond.
std::vector<double> ends_of(const Lane& lane, std::int64_t since_ns) {
  std::vector<double> ends;
  for (const RankCollective& one : lane) ends.push_back(difference(one.end_ns, since_ns));
  return ends;
}

// Once the clocks' difference is known, those belong together whose ends are nearest to each other,
// also behind a record that was lost. Clocks drift, and the difference follows the pairs.
Tie tie_by_ends(const Lane& first, const Lane& second, const Agreement& found, double tolerance) {
  constexpr double kFollow = 0.1;
  const std::vector<double> ours = ends_of(first, first.front().end_ns);
  const std::vector<double> theirs = ends_of(second, second.front().end_ns);
  Tie tie{std::vector<std::ptrdiff_t>(first.size(), -1), found};
  double ahead = found.ahead_ns - difference(second.front().end_ns, first.front().end_ns);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::ptrdiff_t j = nearest(theirs, ours[i] + ahead);
    const double off = theirs[static_cast<std::size_t>(j)] - ours[i] - ahead;
    const std::ptrdiff_t back = nearest(ours, theirs[static_cast<std::size_t>(j)] - ahead);
    if (back != static_cast<std::ptrdiff_t>(i) || std::abs(off) > tolerance) continue;
    if (!alike(first[i], second[static_cast<std::size_t>(j)])) continue;
    tie.place[i] = j;
    ahead += kFollow * off;
  }
  return tie;
}

std::optional<Tie> tie_by_order(const Lane& first, const Lane& second) {
  std::optional<Agreement> best = at_shift(first, second, 0);
  double to_beat = best ? kBetter * best->spread_ns : 0;
  const bool sure = best && best->spread_ns <= kSureNs;
  for (std::ptrdiff_t size = 1; !sure && size <= kMostShift; ++size) {
    for (const std::ptrdiff_t tried : {-size, size}) {
      const auto found = at_shift(first, second, tried);
      if (!found || (best && found->spread_ns >= to_beat)) continue;
      best = found;
      to_beat = found->spread_ns;
    }
  }
  const double tolerance = tolerance_ns(first);
  if (!best || best->spread_ns > tolerance) return std::nullopt;
  return tie_by_ends(first, second, *best, tolerance);
}

// All of them numbered, each number once.
bool numbered(const Lane& lane) {
  std::vector<std::int64_t> numbers;
  for (const RankCollective& collective : lane) {
    if (collective.sequence < 0) return false;
    numbers.push_back(collective.sequence);
  }
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

std::optional<Tie> tie_by_number(const Lane& first, const Lane& second) {
  std::map<std::int64_t, std::ptrdiff_t> place_of;
  for (std::ptrdiff_t j = 0; j < std::ssize(second); ++j) {
    place_of.emplace(second[static_cast<std::size_t>(j)].sequence, j);
  }
  Tie tie{std::vector<std::ptrdiff_t>(first.size(), -1), {}};
  Pairs pairs;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto found = place_of.find(first[i].sequence);
    if (found == place_of.end()) continue;
    tie.place[i] = found->second;
    pairs.add(first[i], second[static_cast<std::size_t>(found->second)]);
  }
  const auto agreement = pairs.agreement();
  if (!agreement || agreement->spread_ns > tolerance_ns(first)) return std::nullopt;
  tie.agreement = *agreement;
  return tie;
}

// Times of b over those of a, whose trace counts from another moment.
double base_difference(const RankTrace& a, const RankTrace& b) {
  return difference(b.base_ns, a.base_ns);
}

class Matcher {
 public:
  explicit Matcher(std::span<const RankTrace> ranks) : ranks_(ranks), ties_(ranks.size()) {
    matching_.numbered = true;
  }

  void add_lane(const std::string& name) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (lane(i, name) != nullptr) members.push_back(i);
    }
    if (members.size() < 2) return;
    const bool by_number =
        std::ranges::all_of(members, [&](std::size_t i) { return numbered(*lane(i, name)); });
    const Lane& first = *lane(members.front(), name);
    std::vector<std::pair<std::size_t, Tie>> tied;
    for (const std::size_t i : std::span(members).subspan(1)) {
      auto tie =
          by_number ? tie_by_number(first, *lane(i, name)) : tie_by_order(first, *lane(i, name));
      if (!tie) continue;
      remember(members.front(), i, tie->agreement.ahead_ns);
      tied.emplace_back(i, std::move(*tie));
    }
    if (tied.empty()) return;
    matching_.numbered = matching_.numbered && by_number;
    for (std::size_t k = 0; k < first.size(); ++k) add_row(name, members.front(), k, tied);
  }

  Matching take() {
    matching_.numbered = matching_.numbered && !matching_.collectives.empty();
    follow_ties();
    return std::move(matching_);
  }

 private:
  const Lane* lane(std::size_t rank, const std::string& name) const {
    const auto found = ranks_[rank].lanes.find(name);
    return found == ranks_[rank].lanes.end() || found->second.empty() ? nullptr : &found->second;
  }

  void add_row(const std::string& name, std::size_t first, std::size_t k,
               const std::vector<std::pair<std::size_t, Tie>>& tied) {
    MatchedCollective row = {{first, &(*lane(first, name))[k]}};
    for (const auto& [rank, tie] : tied) {
      if (tie.place[k] < 0) return;
      row.push_back({rank, &(*lane(rank, name))[static_cast<std::size_t>(tie.place[k])]});
    }
    matching_.collectives.push_back(std::move(row));
  }

  void remember(std::size_t a, std::size_t b, double ahead_ns) {
    const double ahead = ahead_ns + base_difference(ranks_[a], ranks_[b]);
    ties_[a].emplace_back(b, ahead);
    ties_[b].emplace_back(a, -ahead);
  }

  // From the first rank on.
  void follow_ties() {
    matching_.ahead_ns.resize(ranks_.size());
    if (ranks_.empty()) return;
    matching_.ahead_ns[0] = 0;
    std::deque<std::size_t> open = {0};
    while (!open.empty()) {
      const std::size_t at = open.front();
      open.pop_front();
      for (const auto& [other, ahead] : ties_[at]) {
        if (matching_.ahead_ns[other]) continue;
        matching_.ahead_ns[other] = *matching_.ahead_ns[at] + ahead;
        open.push_back(other);
      }
    }
  }

  std::span<const RankTrace> ranks_;
  std::vector<std::vector<std::pair<std::size_t, double>>> ties_;
  Matching matching_;
};

}  // namespace

Matching match_collectives(std::span<const RankTrace> ranks) {
  Matcher matcher(ranks);
  std::map<std::string, int> names;
  for (const RankTrace& rank : ranks) {
    for (const auto& [name, lane] : rank.lanes) names.emplace(name, 0);
  }
  for (const auto& [name, unused] : names) matcher.add_lane(name);
  return matcher.take();
}

}  // namespace flatout::analyse
