#include "analyse/repeating/recurrence.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

namespace flatout::analyse {
namespace {

constexpr std::size_t kLeastDistances = 2;
constexpr std::size_t kLeastCovered = 32;  // activities

using Starts = std::vector<Recurrence::Start>;

// Distances between neighbours of one part.
std::vector<std::size_t> distances_of(std::span<const Recurrence::Start> starts) {
  std::vector<std::size_t> distances;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (starts[i].part == starts[i - 1].part) distances.push_back(starts[i].at - starts[i - 1].at);
  }
  return distances;
}

// The distance in which the middle of all that they cover lies.
std::size_t main_distance(std::vector<std::size_t> distances) {
  std::ranges::sort(distances);
  const std::size_t all = std::accumulate(distances.begin(), distances.end(), std::size_t{0});
  std::size_t covered = 0;
  for (const std::size_t distance : distances) {
    covered += distance;
    if (2 * covered >= all) return distance;
  }
  return 0;
}

// Whether hardly anything lies in distances that are neither of a burst nor whole.
bool few_between(std::span<const std::size_t> distances, std::size_t burst, std::size_t length) {
  std::size_t all = 0, between = 0;
  for (const std::size_t distance : distances) {
    all += distance;
    if (distance > burst && distance + slack_of(length) < length) between += distance;
  }
  return between * 100 <= all * 3;
}

Starts without_bursts(std::span<const Recurrence::Start> places, std::size_t burst) {
  Starts starts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool follows =
        i > 0 && places[i].part == places[i - 1].part && places[i].at - places[i - 1].at <= burst;
    if (!follows) starts.push_back(places[i]);
  }
  return starts;
}

std::optional<Recurrence> recurrence_of(std::span<const Recurrence::Start> places,
                                        std::size_t all) {
  const std::vector<std::size_t> every = distances_of(places);
  if (every.size() < kLeastDistances) return std::nullopt;
  const std::size_t main = main_distance(every);
  const std::size_t burst = main / 5;
  if (!few_between(every, burst, main)) return std::nullopt;
  Recurrence found;
  found.count = places.size();
  found.burst = burst;
  found.starts = without_bursts(places, burst);
  std::vector<std::size_t> distances = distances_of(found.starts);
  found.distances = distances.size();
  if (found.distances < kLeastDistances) return std::nullopt;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::ranges::nth_element(distances, middle);
  found.length = *middle;
  if (found.length < 2) return std::nullopt;
  std::size_t shorter = 0, covered = 0, whole = 0;
  for (const std::size_t distance : distances) {
    whole += distance;
    if (is_about(distance, found.length)) {
      ++found.regular;
      covered += distance;
    } else if (distance < found.length) {
      shorter += distance;
    }
  }
  const bool even = found.regular >= kLeastDistances &&
                    found.regular * 10 >= distances.size() * 6 && shorter * 20 <= whole;
  if (!even || covered < kLeastCovered || covered * 10 < all * 3) return std::nullopt;
  return found;
}

}  // namespace

std::vector<Recurrence> find_recurrences(const KernelSequence& sequence) {
  // The places of each symbol, one symbol behind the other.
  std::vector<std::size_t> first(sequence.symbols.size() + 1);
  for (const std::uint32_t symbol : sequence.order) ++first[symbol + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> places(sequence.order.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < sequence.order.size(); ++i) {
    places[next[sequence.order[i]]++] = static_cast<std::uint32_t>(i);
  }
  std::vector<Recurrence> found;
  Starts starts;
  for (std::size_t symbol = 0; symbol < sequence.symbols.size(); ++symbol) {
    const std::size_t count = first[symbol + 1] - first[symbol];
    if (count <= kLeastDistances) continue;
    starts.clear();
    std::uint32_t part = 0;
    for (std::size_t i = first[symbol]; i < first[symbol + 1]; ++i) {
      while (part < sequence.parts.size() && sequence.parts[part] <= places[i]) ++part;
      starts.push_back({places[i], part});
    }
    std::optional<Recurrence> recurrence = recurrence_of(starts, sequence.order.size());
    if (!recurrence) continue;
    recurrence->symbol = static_cast<std::uint32_t>(symbol);
    recurrence->optimizer = sequence.symbols[symbol].optimizer;
    found.push_back(std::move(*recurrence));
  }
  return found;
}

}  // namespace flatout::analyse
