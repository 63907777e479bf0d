#include "analyse/repeating/repeating_steps.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "analyse/kernels/traced_windows.h"
#include "analyse/repeating/kernel_period.h"
#include "analyse/repeating/kernel_sequence.h"
#include "analyse/repeating/period_cut.h"
#include "analyse/repeating/recurrence.h"
#include "analyse/repeating/waited_bursts.h"
#include "analyse/repeating/waited_kernel.h"
#include "run/threads.h"

namespace flatout::analyse {
namespace {

constexpr std::size_t kMostActivitiesLookedAt = 1'000'000;

struct BusyPlace {
  const run::ProcessTrack* process = nullptr;
  pid_t pid = 0;
  std::uint16_t device = 0;
};

std::optional<BusyPlace> busiest_place(const run::Timeline& timeline) {
  std::optional<BusyPlace> place;
  std::size_t most = 0;
  for (const auto& [pid, process] : timeline.processes) {
    std::map<std::uint16_t, std::size_t> counts;
    for (const run::DeviceActivity& activity : process.activities) ++counts[activity.device];
    for (const auto& [device, count] : counts) {
      if (count <= most) continue;
      most = count;
      place = BusyPlace{&process, pid, device};
    }
  }
  return place;
}

// Goes over what one device did, piece by piece of what is known of it.
class DeviceWalk {
 public:
  explicit DeviceWalk(const BusyPlace& place)
      : place_(place), windows_(traced_windows(*place.process)) {
    if (windows_.size() < 2) windows_.clear();  // known from the first activity to the last
  }
  bool whole() const { return windows_.empty(); }

  // take(number, activity, new_part): numbers from 0. False from it ends the walk.
  template <typename Take>
  void each(const Take& take) const {
    std::size_t number = 0;
    std::size_t window = 0, last = 0;
    for (const run::DeviceActivity& activity : place_.process->activities) {
      if (activity.device != place_.device) continue;
      while (window < windows_.size() && windows_[window].begin_ns <= activity.begin_ns) ++window;
      if (!take(number, activity, number > 0 && window != last)) return;
      last = window;
      ++number;
    }
  }

 private:
  BusyPlace place_;
  std::vector<TimeWindow> windows_;
};

KernelSequence kernel_sequence_of(const DeviceWalk& walk, KernelSymbols& symbols) {
  constexpr std::int64_t kLongest = std::numeric_limits<std::uint32_t>::max();
  KernelSequence sequence;
  std::int64_t done_ns = std::numeric_limits<std::int64_t>::max();
  walk.each([&](std::size_t number, const run::DeviceActivity& activity, bool new_part) {
    if (new_part) {
      sequence.parts.push_back(number);
      done_ns = activity.begin_ns;
    }
    const std::int64_t idle = activity.begin_ns > done_ns ? activity.begin_ns - done_ns : 0;
    sequence.order.push_back(symbols.of(activity));
    sequence.idle_ns.push_back(static_cast<std::uint32_t>(std::min(idle, kLongest)));
    done_ns = number == 0 ? activity.end_ns : std::max(done_ns, activity.end_ns);
    return number + 1 < kMostActivitiesLookedAt;
  });
  sequence.symbols = symbols.all();
  return sequence;
}

constexpr std::size_t kNoActivity = static_cast<std::size_t>(-1);

class PeriodCutter {
 public:
  PeriodCutter(const KernelPeriod& period, const KernelKey& anchor, bool whole)
      : period_(period), key_(anchor), whole_(whole) {}

  bool take(std::size_t number, const run::DeviceActivity& activity, bool new_part) {
    if (new_part) end_part(number);
    if (KernelKey::of(activity) == key_) {
      if (last_ == kNoActivity || number - last_ > period_.burst) anchor(number);
      last_ = number;
    }
    past_ = number + 1;
    return true;
  }
  std::vector<PeriodCut> finish() {
    end_part(past_);
    return std::move(cuts_);
  }

 private:
  void anchor(std::size_t number) {
    // Its begin was not recorded, or in a window not what the device waited before it.
    if (number < part_ + period_.before + (whole_ ? 0 : 1)) return;
    const std::size_t at = number - period_.before;
    if (open() && opened_ && !is_about(at - cuts_.back().at, period_.length)) {
      cuts_.pop_back();  // of the start-up: steps begin with a period that is one
    } else if (open() && at + slack_of(period_.length) < cuts_.back().at + period_.length) {
      return;  // too soon: part of a step
    } else {
      opened_ = !open();
    }
    cuts_.push_back({.at = at});
  }
  bool open() const { return !cuts_.empty() && cuts_.back().kind == PeriodCutKind::kBegin; }
  // The last step of a part is one where all of it is there.
  void end_part(std::size_t past) {
    if (open() && cuts_.back().at + period_.length <= past) {
      cuts_.push_back({.at = cuts_.back().at + period_.length, .kind = PeriodCutKind::kLast});
    } else if (open()) {
      cuts_.back().kind = PeriodCutKind::kEnd;
    }
    part_ = past;
    last_ = kNoActivity;
  }

  const KernelPeriod& period_;
  const KernelKey key_;
  const bool whole_;
  std::vector<PeriodCut> cuts_;
  bool opened_ = false;  // the last cut has no step before it
  std::size_t last_ = kNoActivity;
  std::size_t part_ = 0, past_ = 0;
};

// Finds the time of each cut, in one pass.
std::vector<Step> steps_between_cuts(const DeviceWalk& walk, const std::vector<PeriodCut>& cuts) {
  std::vector<Step> steps;
  auto next = cuts.begin();
  std::optional<std::int64_t> begin_ns;
  constexpr std::int64_t kNothingDone = std::numeric_limits<std::int64_t>::min();
  std::int64_t done_ns = kNothingDone;
  const auto cut = [&](PeriodCutKind kind, std::int64_t t_ns) {
    if (begin_ns && t_ns > *begin_ns) steps.push_back(whole_step(*begin_ns, t_ns));
    begin_ns = kind == PeriodCutKind::kBegin ? std::optional(t_ns) : std::nullopt;
    ++next;
  };
  walk.each([&](std::size_t number, const run::DeviceActivity& activity, bool new_part) {
    while (next != cuts.end() && next->at == number) {
      // Where the device was never idle in between, streams overlap: then with its begin.
      const bool known = done_ns != kNothingDone;
      cut(next->kind, !known                               ? activity.begin_ns
                      : next->kind == PeriodCutKind::kLast ? done_ns
                                                           : std::min(done_ns, activity.begin_ns));
    }
    done_ns = new_part ? activity.end_ns : std::max(done_ns, activity.end_ns);
    return next != cuts.end();
  });
  if (next != cuts.end()) cut(PeriodCutKind::kLast, done_ns);
  return steps;
}

bool of_one_kind(std::span<const Step> steps) {
  constexpr std::int64_t kMostApart = 4;
  std::vector<std::int64_t> lengths;
  for (const Step& step : steps) lengths.push_back(step.own_ns);
  std::ranges::sort(lengths);
  return lengths[lengths.size() * 3 / 4] <= kMostApart * lengths[lengths.size() / 4];
}

std::optional<std::uint16_t> launching_lane(const run::ProcessTrack& process) {
  std::map<std::uint16_t, std::size_t> launches;
  for (const run::HostSpan& span : process.host_spans) {
    if (span.kind == run::HostSpanKind::kCall && span.correlation != 0) ++launches[span.lane];
  }
  const auto most =
      std::ranges::max_element(launches, {}, [](const auto& entry) { return entry.second; });
  if (most == launches.end()) return std::nullopt;
  return run::Threads(process).of(most->first);
}

// The steps of a sequence, by what is found first.
struct FoundCuts {
  std::vector<PeriodCut> cuts;
  std::size_t activities = 0;
  bool bursts = false;
};

FoundCuts cuts_by_period(const DeviceWalk& walk, const KernelPeriod& period, const KernelKey& key) {
  PeriodCutter cutter(period, key, walk.whole());
  walk.each([&](std::size_t number, const run::DeviceActivity& activity, bool new_part) {
    return cutter.take(number, activity, new_part);
  });
  return {.cuts = cutter.finish(), .activities = period.length};
}

FoundCuts cuts_by_bursts(const DeviceWalk& walk, HostWaits waits, const KernelKey& key) {
  WaitedBursts bursts(key, std::move(waits), walk.whole());
  walk.each([&](std::size_t number, const run::DeviceActivity& activity, bool new_part) {
    bursts.take(number, activity, new_part);
    return true;
  });
  std::vector<PeriodCut> cuts = bursts.finish();
  return {.cuts = std::move(cuts), .activities = bursts.kernels(), .bursts = true};
}

FoundCuts find_cuts(const BusyPlace& place, const DeviceWalk& walk, const run::NameTable& names) {
  KernelSymbols symbols(names);
  const KernelSequence sequence = kernel_sequence_of(walk, symbols);
  std::optional<KernelPeriod> period = find_kernel_period(sequence);
  // A copy to the host that comes every so many kernels is a log, where the kernel itself is a
  // step.
  if (!period || sequence.symbols[period->anchor].to_host) {
    const auto waited = find_waited_kernel(*place.process, place.device, names, sequence);
    const auto only = only_kernel(sequence);
    if (waited) {
      period = waited;
    } else if (only) {
      FoundCuts found =
          cuts_by_bursts(walk, HostWaits(*place.process, names), sequence.symbols[*only].key);
      if (!found.cuts.empty()) return found;
    }
  }
  if (!period) return {};
  return cuts_by_period(walk, *period, sequence.symbols[period->anchor].key);
}

}  // namespace

bool traced_as_a_whole(const run::Timeline& timeline, const run::ProcessTrack& process) {
  if (!timeline.info.trace_file.empty()) return true;
  const std::vector<TimeWindow> windows = traced_windows(process);
  if (windows.size() != 1) return false;
  const std::int64_t end_ns = timeline.end ? timeline.end->t_ns : timeline.last_ns;
  const std::int64_t traced_ns = windows.front().end_ns - windows.front().begin_ns;
  return 2 * traced_ns >= end_ns - timeline.info.started_ns;
}

Step whole_step(std::int64_t begin_ns, std::int64_t end_ns) {
  Step step;
  step.begin_ns = begin_ns;
  step.end_ns = end_ns;
  step.own_ns = end_ns - begin_ns;
  step.phases[static_cast<std::size_t>(run::Phase::kOther)] = step.own_ns;
  step.updates = 1;
  return step;
}

std::optional<RepeatingSteps> find_repeating_steps(const run::Timeline& timeline) {
  const std::optional<BusyPlace> place = timeline.names ? busiest_place(timeline) : std::nullopt;
  if (!place) return std::nullopt;
  const DeviceWalk walk(*place);
  const FoundCuts cuts = find_cuts(*place, walk, *timeline.names);
  RepeatingSteps found{.pid = place->pid,
                       .device = place->device,
                       .lane = launching_lane(*place->process),
                       .activities = cuts.activities,
                       .bursts = cuts.bursts,
                       .gapless = traced_as_a_whole(timeline, *place->process),
                       .steps = steps_between_cuts(walk, cuts.cuts)};
  if (found.steps.size() < kLeastRepeatingSteps || !of_one_kind(found.steps)) return std::nullopt;
  return found;
}

}  // namespace flatout::analyse
