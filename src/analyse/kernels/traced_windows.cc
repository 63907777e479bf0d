#include "analyse/kernels/traced_windows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace flatout::analyse {

namespace {

// Windows lie seconds apart; one that was not written, since its process died, goes on sooner.
constexpr std::int64_t kSameWindowNs = 500'000'000;
// Clocks of device and host are aligned to some microseconds: work may seem to begin before its
// call.
constexpr std::int64_t kClockSlackNs = 1'000'000;
constexpr std::int64_t kSinceEver = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

bool launches(const run::HostSpan& call) {
  return call.kind == run::HostSpanKind::kCall && call.correlation != 0;
}

// When the first of the calls from from_ns on was made whose work is not recorded; kForever where
// all of it is. A call whose kind never has work here (cudaLaunchHostFunc) is none of them.
std::int64_t first_call_without_work(const run::ProcessTrack& process, std::int64_t from_ns) {
  std::vector<std::uint64_t> done;
  const std::int64_t since_ns = std::max(from_ns, kSinceEver + kClockSlackNs) - kClockSlackNs;
  for (const run::DeviceActivity& activity : process.activities.between(since_ns, kForever)) {
    done.push_back(activity.correlation);
  }
  std::ranges::sort(done);
  std::map<std::uint32_t, std::int64_t> first_without;  // by name
  std::set<std::uint32_t> working;
  for (const run::HostSpan& call : process.host_spans.between(from_ns, kForever)) {
    if (!launches(call)) continue;
    if (std::ranges::binary_search(done, call.correlation)) {
      working.insert(call.name);
    } else {
      first_without.try_emplace(call.name, call.begin_ns);
    }
  }
  std::int64_t first_ns = kForever;
  for (const auto& [name, begin_ns] : first_without) {
    if (working.contains(name)) first_ns = std::min(first_ns, begin_ns);
  }
  return first_ns;
}

}  // namespace

std::optional<TimeWindow> time_behind_windows(const run::ProcessTrack& process) {
  if (process.activities.empty() || process.host_spans.empty()) return std::nullopt;
  std::int64_t until_ns = kSinceEver;
  for (const run::TraceWindow& window : process.trace_windows) {
    until_ns = std::max(until_ns, window.end_ns);
  }
  // What a window launched may begin behind it; what is called behind it was traced there.
  const auto calls = process.host_spans.between(until_ns, kForever);
  const auto work = process.activities.between(until_ns, kForever);
  if (calls.empty() || work.empty()) return std::nullopt;
  TimeWindow rest{calls.begin()->begin_ns, until_ns};
  for (const run::DeviceActivity& activity : work) {
    rest.end_ns = std::max(rest.end_ns, activity.end_ns);
  }
  // What was called later is not known, and may have run beside the end of what is.
  std::int64_t called_ns = until_ns;
  for (const run::HostSpan& call : calls) {
    // What CUPTI does for itself goes on after the last call that it has handed over.
    if (call.kind == run::HostSpanKind::kCall) called_ns = std::max(called_ns, call.end_ns);
  }
  rest.end_ns = std::min({rest.end_ns, called_ns, first_call_without_work(process, until_ns)});
  const bool goes_on = !process.trace_windows.empty() && rest.begin_ns - until_ns < kSameWindowNs;
  if (goes_on) rest.begin_ns = until_ns;
  return rest.begin_ns < rest.end_ns ? std::optional(rest) : std::nullopt;
}

std::vector<TimeWindow> traced_windows(const run::ProcessTrack& process) {
  std::vector<TimeWindow> windows;
  const auto add = [&windows](const TimeWindow& window) {
    if (!windows.empty() && window.begin_ns <= windows.back().end_ns) {
      windows.back().end_ns = std::max(windows.back().end_ns, window.end_ns);
    } else {
      windows.push_back(window);
    }
  };
  for (const run::TraceWindow& window : process.trace_windows) {
    add({window.begin_ns, window.end_ns});
  }
  if (windows.empty()) return windows;
  if (const auto rest = time_behind_windows(process)) add(*rest);
  return windows;
}

bool known_in_windows(const run::ProcessTrack& process, std::size_t windows) {
  if (windows != 1) return windows != 0;
  const run::TraceFact* said = run::latest_of(process.facts.observed().traces);
  return said != nullptr && said->mode == "windows";
}

std::optional<std::int64_t> known_until(const run::ProcessTrack& process) {
  std::int64_t until_ns = kSinceEver;
  std::optional<run::WindowEnd> how;
  for (const run::TraceWindow& window : process.trace_windows) {
    if (window.end_ns < until_ns) continue;
    until_ns = window.end_ns;
    how = window.end;
  }
  if (!how || *how == run::WindowEnd::kExit) return std::nullopt;
  const auto rest = time_behind_windows(process);
  return rest ? std::max(until_ns, rest->end_ns) : until_ns;
}

TimeWindow KnownTime::of(const TimeWindow& window, const run::ProcessTrack& process,
                         const HostTimeline& host, std::uint16_t device) {
  std::optional<std::int64_t> first_ns;
  std::int64_t last_ns = window.begin_ns, longest_ns = 0;
  bool last_is_there = host.last_launched() == 0;
  for (const run::DeviceActivity& activity :
       process.activities.between(window.begin_ns, window.end_ns)) {
    // Whichever device it was for.
    last_is_there = last_is_there || activity.correlation == host.last_launched();
    if (activity.device != device) continue;
    last_ns = std::max(last_ns, activity.end_ns);
    const std::optional<Launch> launch = host.launch(activity.correlation);
    if (!launch) continue;
    if (!first_ns) first_ns = activity.begin_ns;
    longest_ns = std::max(longest_ns, activity.end_ns - launch->end_ns);
  }
  if (first_ns) longest_ns_ = longest_ns;
  TimeWindow known = window;
  known.begin_ns += longest_ns_;
  if (longest_ns_ > (window.end_ns - window.begin_ns) / 2) {
    known.begin_ns = first_ns.value_or(window.end_ns);
  }
  // A wait that was open when tracing began is for work that is not recorded, however long it
  // takes.
  if (host.phase_waits().at(window.begin_ns) != HostState::kNothing) {
    known.begin_ns = std::max(known.begin_ns, host.phase_waits().next_change(window.begin_ns));
  }
  if (!last_is_there) known.end_ns = std::min(known.end_ns, last_ns);
  known.begin_ns = std::max(known.begin_ns, all_.begin_ns);
  known.end_ns = std::min(known.end_ns, all_.end_ns);
  return known;
}

}  // namespace flatout::analyse
