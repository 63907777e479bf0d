#include "analyse/repeating/waited_kernel.h"

#include <algorithm>
#include <vector>

#include "analyse/kernels/name_cache.h"
#include "run/host_calls.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kMoreThan = 128;  // as of levels that hold no copy
constexpr std::size_t kMostWaits = 1'000'000;

// The kernel that nearly all is; absent where there is none.
std::optional<std::uint32_t> only_kernel(const KernelSequence& sequence) {
  std::vector<std::size_t> counts(sequence.symbols.size());
  for (const std::uint32_t symbol : sequence.order) ++counts[symbol];
  const auto most = std::ranges::max_element(counts);
  if (most == counts.end() || *most <= kMoreThan) return std::nullopt;
  if (*most * 20 < sequence.order.size() * 19) return std::nullopt;
  const auto symbol = static_cast<std::uint32_t>(most - counts.begin());
  return sequence.symbols[symbol].kernel ? std::optional(symbol) : std::nullopt;
}

// When the host had waited for the device, sorted.
std::vector<std::int64_t> ends_of_waits(const run::ProcessTrack& process,
                                        const run::NameTable& names) {
  NameCache waits(names, run::is_sync_call);
  std::vector<std::int64_t> ends;
  for (const run::HostSpan& span : process.host_spans) {
    if (span.kind != run::HostSpanKind::kCall || !waits.of(span.name)) continue;
    ends.push_back(span.end_ns);
    if (ends.size() == kMostWaits) break;
  }
  std::ranges::sort(ends);
  return ends;
}

}  // namespace

std::optional<KernelPeriod> find_waited_kernel(const run::ProcessTrack& process,
                                               std::uint16_t device, const run::NameTable& names,
                                               const KernelSequence& sequence) {
  const auto symbol = only_kernel(sequence);
  if (!symbol) return std::nullopt;
  const KernelKey& key = sequence.symbols[*symbol].key;
  const std::vector<std::int64_t> waits = ends_of_waits(process, names);
  auto wait = waits.begin();
  std::optional<std::int64_t> ended_ns;
  std::size_t between = 0, waited = 0;
  for (const run::DeviceActivity& activity : process.activities) {
    if (activity.device != device || KernelKey::of(activity) != key) continue;
    if (ended_ns) {
      while (wait != waits.end() && *wait < *ended_ns) ++wait;
      ++between;
      waited += wait != waits.end() && *wait <= activity.begin_ns ? 1 : 0;
    }
    ended_ns = std::max(ended_ns.value_or(activity.end_ns), activity.end_ns);
    if (between == sequence.order.size()) break;
  }
  if (between < kMoreThan || waited * 10 < between * 9) return std::nullopt;
  return KernelPeriod{.anchor = *symbol, .length = 1, .burst = 0, .before = 0, .regular = 1};
}

}  // namespace flatout::analyse
