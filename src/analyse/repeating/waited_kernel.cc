#include "analyse/repeating/waited_kernel.h"

#include <algorithm>
#include <vector>

#include "analyse/repeating/host_waits.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kMoreThan = 128;  // as of levels that hold no copy

}  // namespace

std::optional<std::uint32_t> only_kernel(const KernelSequence& sequence) {
  std::vector<std::size_t> counts(sequence.symbols.size());
  for (const std::uint32_t symbol : sequence.order) ++counts[symbol];
  const auto most = std::ranges::max_element(counts);
  if (most == counts.end() || *most <= kMoreThan) return std::nullopt;
  if (*most * 20 < sequence.order.size() * 19) return std::nullopt;
  const auto symbol = static_cast<std::uint32_t>(most - counts.begin());
  return sequence.symbols[symbol].kernel ? std::optional(symbol) : std::nullopt;
}

std::optional<KernelPeriod> find_waited_kernel(const run::ProcessTrack& process,
                                               std::uint16_t device, const run::NameTable& names,
                                               const KernelSequence& sequence) {
  const auto symbol = only_kernel(sequence);
  if (!symbol) return std::nullopt;
  const KernelKey& key = sequence.symbols[*symbol].key;
  HostWaits waits(process, names);
  std::optional<std::int64_t> ended_ns;
  std::size_t between = 0, waited = 0;
  for (const run::DeviceActivity& activity : process.activities) {
    if (activity.device != device || KernelKey::of(activity) != key) continue;
    if (ended_ns) {
      ++between;
      waited += waits.ended_between(*ended_ns, activity.begin_ns) ? 1 : 0;
    }
    ended_ns = std::max(ended_ns.value_or(activity.end_ns), activity.end_ns);
    if (between == sequence.order.size()) break;
  }
  if (between < kMoreThan || waited * 10 < between * 9) return std::nullopt;
  return KernelPeriod{.anchor = *symbol, .length = 1, .burst = 0, .before = 0, .regular = 1};
}

}  // namespace flatout::analyse
