#include "analyse/repeating/period_levels.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>

namespace flatout::analyse {
namespace {

// Those that differ less are one level, seen through different kernels.
constexpr double kLeastRatio = 1.5;

// One that comes once a period is surer: an evaluation may repeat what comes in bursts.
double sureness(const Recurrence& one) {
  constexpr double kBurst = 0.05;
  return one.regular_share() - (one.starts.size() < one.count ? kBurst : 0);
}

bool better_anchor(const Recurrence& a, const Recurrence& b) {
  if (a.optimizer != b.optimizer) return a.optimizer;
  if (sureness(a) != sureness(b)) return sureness(a) > sureness(b);
  return a.starts.front().at < b.starts.front().at;
}

// Of each place, a hash of the last symbols of its stream.
class Runs {
 public:
  Runs(const KernelSequence& sequence, std::size_t run) {
    std::uint64_t dropped = 1;
    for (std::size_t i = 0; i < run; ++i) dropped *= kFactor;
    std::vector<Stream> streams;
    for (const KernelSymbol& symbol : sequence.symbols) {
      if (symbol.stream >= streams.size()) streams.resize(symbol.stream + 1);
    }
    hashes_.reserve(sequence.order.size());
    for (const std::uint32_t symbol : sequence.order) {
      Stream& stream = streams[sequence.symbols[symbol].stream];
      std::uint64_t& oldest = stream.last[stream.next++ % run];
      stream.hash = stream.hash * kFactor + symbol + 1 - oldest * dropped;
      oldest = symbol + 1;
      hashes_.push_back(static_cast<std::uint32_t>(stream.hash >> 32));
    }
  }
  std::uint32_t at(std::size_t place) const { return hashes_[place]; }
  std::size_t size() const { return hashes_.size(); }

  static constexpr std::size_t kLongest = 16;

 private:
  static constexpr std::uint64_t kFactor = 0x9e37'79b9'7f4a'7c15;
  struct Stream {
    std::array<std::uint64_t, kLongest> last = {};
    std::size_t next = 0;
    std::uint64_t hash = 0;
  };

  std::vector<std::uint32_t> hashes_;
};

std::size_t run_of(std::size_t length) {
  constexpr std::size_t kShortest = 4;
  return std::clamp(length / 2, kShortest, Runs::kLongest);
}

// How much of what `runs` has from `second` on it has from `first` on, too.
double runs_in_common(const Runs& runs, std::size_t first, std::size_t second, std::size_t length) {
  std::unordered_set<std::uint32_t> known;
  for (std::size_t i = first; i < first + length; ++i) known.insert(runs.at(i));
  std::size_t again = 0;
  const std::size_t end = std::min(second + length, runs.size());
  for (std::size_t i = second; i < end; ++i) again += known.contains(runs.at(i)) ? 1 : 0;
  return static_cast<double>(again) / static_cast<double>(end - second);
}

bool content_repeats(const Runs& runs, const Recurrence& anchor) {
  constexpr std::size_t kMostPairs = 32;
  constexpr double kLeastAlike = 0.5;
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i + 1 < anchor.starts.size(); ++i) {
    const auto& from = anchor.starts[i];
    const auto& to = anchor.starts[i + 1];
    if (from.part == to.part && is_about(to.at - from.at, anchor.length)) pairs.push_back(i);
  }
  std::vector<double> shares;
  const std::size_t looked_at = std::min(pairs.size(), kMostPairs);
  for (std::size_t i = 0; i < looked_at; ++i) {
    const std::size_t pair = pairs[i * pairs.size() / looked_at];
    const std::size_t first = anchor.starts[pair].at, second = anchor.starts[pair + 1].at;
    shares.push_back(runs_in_common(runs, first, second, second - first));
  }
  if (shares.empty()) return false;
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::ranges::nth_element(shares, middle);
  return *middle >= kLeastAlike;
}

// Whether a copy of this direction comes in (nearly) each period of the level.
bool copies_in_each(const KernelSequence& sequence, const std::vector<std::size_t>& counts,
                    const PeriodLevel& level, bool KernelSymbol::* direction) {
  const std::size_t periods = level.anchor().starts.size();
  for (std::size_t symbol = 0; symbol < sequence.symbols.size(); ++symbol) {
    if (sequence.symbols[symbol].*direction && counts[symbol] * 10 >= periods * 8) return true;
  }
  return false;
}

bool any_member(const KernelSequence& sequence, const PeriodLevel& level,
                bool KernelSymbol::* what) {
  return std::ranges::any_of(level.members, [&](const Recurrence& member) {
    return sequence.symbols[member.symbol].*what;
  });
}

// Whether a step is rather `longer`, of the same kernels and more, than `shorter`.
bool goes_up(const KernelSequence& sequence, const std::vector<std::size_t>& counts,
             const PeriodLevel& shorter, const PeriodLevel& longer) {
  const bool batch_in_each = copies_in_each(sequence, counts, shorter, &KernelSymbol::to_device);
  if (any_member(sequence, longer, &KernelSymbol::to_device) && !batch_in_each) return true;
  if (any_member(sequence, longer, &KernelSymbol::to_host)) {
    if (batch_in_each || copies_in_each(sequence, counts, shorter, &KernelSymbol::to_host)) {
      return false;
    }
    // Neither copies in each: a layer and its step, or steps and their log, which is little.
    std::size_t own = 0;
    for (const Recurrence& member : longer.members) own += member.count;
    return own * 10 >= sequence.order.size();
  }
  return any_member(sequence, longer, &KernelSymbol::kernel);
}

// What repeats may be the layers of one step: a step has a batch or a result that is copied, or an
// update that says so; or there are more of them than a network has layers.
bool speaks_for_steps(const KernelSequence& sequence, const std::vector<std::size_t>& counts,
                      const PeriodLevel& level) {
  constexpr std::size_t kMoreThanLayers = 128;
  return level.updates() || level.anchor().starts.size() > kMoreThanLayers ||
         copies_in_each(sequence, counts, level, &KernelSymbol::to_device) ||
         copies_in_each(sequence, counts, level, &KernelSymbol::to_host);
}

}  // namespace

const Recurrence& PeriodLevel::anchor() const {
  return *std::ranges::min_element(members, better_anchor);
}

bool PeriodLevel::updates() const { return std::ranges::any_of(members, &Recurrence::optimizer); }

std::vector<PeriodLevel> period_levels(std::vector<Recurrence> recurrences) {
  std::ranges::sort(recurrences, {},
                    [](const Recurrence& one) { return std::pair(one.length, one.symbol); });
  std::vector<PeriodLevel> levels;
  for (Recurrence& one : recurrences) {
    const bool same =
        !levels.empty() &&
        static_cast<double>(one.length) < kLeastRatio * static_cast<double>(levels.back().length);
    if (!same) levels.push_back({.length = one.length, .members = {}});
    levels.back().members.push_back(std::move(one));
  }
  return levels;
}

void keep_repeated_content(const KernelSequence& sequence, std::vector<PeriodLevel>& levels) {
  std::optional<Runs> runs;
  std::size_t run = 0;
  std::erase_if(levels, [&](const PeriodLevel& level) {
    const std::size_t wanted = run_of(level.length);
    if (wanted != run) runs.emplace(sequence, wanted);
    run = wanted;
    return !content_repeats(*runs, level.anchor());
  });
}

const PeriodLevel* level_of_steps(const KernelSequence& sequence,
                                  const std::vector<PeriodLevel>& levels) {
  if (levels.empty()) return nullptr;
  const auto updates = std::ranges::find_if(levels, &PeriodLevel::updates);
  if (updates != levels.end()) return &*updates;
  std::vector<std::size_t> counts(sequence.symbols.size());
  for (const std::uint32_t symbol : sequence.order) ++counts[symbol];
  const PeriodLevel* chosen = &levels.front();
  for (std::size_t next = 1; next < levels.size(); ++next) {
    if (!goes_up(sequence, counts, *chosen, levels[next])) break;
    chosen = &levels[next];
  }
  return speaks_for_steps(sequence, counts, *chosen) ? chosen : nullptr;
}

}  // namespace flatout::analyse
