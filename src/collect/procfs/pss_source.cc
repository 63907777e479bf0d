#include "collect/procfs/pss_source.h"

#include <algorithm>
#include <utility>

#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {
namespace {

constexpr base::DurationNs kEvery = 10 * base::kSecond;
constexpr base::DurationNs kFirstAfter = base::kSecond;
constexpr base::DurationNs kLongestRead = 50 * base::kMillisecond;
// What a page costs until it was measured, and what a reading costs at least.
constexpr double kNsPerPage = 60;
constexpr double kFewPages = 4096;

double pages_of(const ProcessTree::Entry& entry) {
  return static_cast<double>(std::max<std::int64_t>(entry.stat.rss_pages, 0));
}

}  // namespace

std::optional<std::uint64_t> parse_pss(std::string_view smaps_rollup) {
  // A last line without its newline was cut: its number may be too.
  smaps_rollup = smaps_rollup.substr(0, smaps_rollup.rfind('\n') + 1);
  const auto kib = host::keyed_number<std::uint64_t>(smaps_rollup, "Pss:");
  if (!kib || *kib > (std::uint64_t{1} << 50)) return std::nullopt;
  return *kib * 1024;
}

PssSource::PssSource(host::Paths paths, const ProcessTree& tree, CpuClock cpu)
    : paths_(std::move(paths)), tree_(tree), cpu_(std::move(cpu)), ns_per_page_(kNsPerPage) {}

base::Result<void> PssSource::sample(base::TimeNs now, run::SampleSink& out) {
  follow();
  if (now < rests_until_ns_) return {};
  if (const auto pid = due(now)) read(*pid, now, out);
  return {};
}

void PssSource::follow() {
  const auto& processes = tree_.processes();
  std::erase_if(next_, [&](const auto& item) { return !processes.contains(item.first); });
  for (const auto& [pid, entry] : processes) {
    Next& next = next_[pid];
    if (next.start_ticks == entry.seen.id.start_ticks) continue;
    next = {.start_ticks = entry.seen.id.start_ticks,
            .due_ns = entry.seen.first_seen_ns + kFirstAfter};
  }
}

// The one that has waited longest.
std::optional<pid_t> PssSource::due(base::TimeNs now) const {
  const auto longest =
      std::ranges::min_element(next_, {}, [](const auto& item) { return item.second.due_ns; });
  if (longest == next_.end() || longest->second.due_ns > now) return std::nullopt;
  return longest->first;
}

void PssSource::read(pid_t pid, base::TimeNs now, run::SampleSink& out) {
  const double pages = pages_of(tree_.processes().at(pid));
  Next& next = next_[pid];
  const base::DurationNs late = now - next.due_ns;
  next.due_ns = now + kEvery;
  if (pages * ns_per_page_ > static_cast<double>(kLongestRead)) {
    if (!std::exchange(large_told_, true)) {
      notes_.push_back("no PSS of process " + std::to_string(pid) +
                       ": it is so large that reading it would hold it up; its RSS is there");
    }
    return;
  }
  const std::int64_t before = cpu_();
  const auto text = host::read_text(host::pid_file(paths_.proc, pid, "smaps_rollup"));
  const auto pss = text ? parse_pss(*text) : std::nullopt;
  const auto cost = static_cast<double>(std::max<std::int64_t>(cpu_() - before, 0));
  if (pss) {
    out.add({.t_ns = now,
             .value = static_cast<double>(*pss),
             .source = pid,
             .metric = run::Metric::kProcessMemoryPss});
    ns_per_page_ = std::max(ns_per_page_, cost / std::max(pages, kFewPages));
  }
  rests_until_ns_ = now + static_cast<base::DurationNs>(cost / kSourceBudgetCores);
  if (late > kEvery && !std::exchange(late_told_, true)) {
    notes_.emplace_back(
        "the PSS metrics would take more than 0.5 % of a core to read every 10 s; they are read "
        "less often");
  }
}

std::vector<std::string> PssSource::take_notes() { return std::exchange(notes_, {}); }

}  // namespace flatout::collect
