#include "analyse/kernels/step_replay.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "analyse/kernels/device_stream.h"
#include "analyse/kernels/idle_account.h"
#include "analyse/kernels/name_cache.h"
#include "run/host_calls.h"

namespace flatout::analyse {
namespace {

// Absent, too, where it lies behind what it launched, by a clock that is off.
std::optional<Launch> call_of(const run::DeviceActivity& activity, const HostTimeline& host) {
  const std::optional<Launch> launch = host.launch(activity.correlation);
  return launch && launch->begin_ns <= activity.begin_ns ? launch : std::nullopt;
}

// Times of damaged files may lie anywhere: those whose differences an int64 does not hold.
bool is_too_far(std::int64_t from_ns, std::int64_t t_ns) {
  constexpr double kFarthestNs = 4e18;
  return static_cast<double>(t_ns) - static_cast<double>(from_ns) > kFarthestNs;
}

}  // namespace

StepReplay::StepReplay(const run::ProcessTrack& process, const run::NameTable& names,
                       const HostTimeline& host, std::int64_t begin_ns, std::int64_t end_ns)
    : begin_ns_(begin_ns), end_ns_(end_ns) {
  if (is_too_far(begin_ns, end_ns)) return;
  add_activities(process, names, host);
  add_waits(process, names);
  group_by_call();
  find_blocking_copies();
  tie_activities();
  tie_waits();
  measure_host(host);
}

// One call for each activity. What was launched before the piece, or by nobody knows whom, has one
// right before it.
void StepReplay::add_activities(const run::ProcessTrack& process, const run::NameTable& names,
                                const HostTimeline& host) {
  NameCache classes(names, &kernel_class);
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint32_t> streams;
  for (const run::DeviceActivity& activity : process.activities) {
    const std::optional<Launch> launch = call_of(activity, host);
    const std::int64_t called = launch ? launch->begin_ns : activity.begin_ns;
    const std::int64_t end = std::max(activity.begin_ns, activity.end_ns);
    if (called >= end_ns_ || end <= begin_ns_ || is_too_far(begin_ns_, end)) continue;
    if (activities_.size() == kMostActivities) {
      end_ns_ = std::min(end_ns_, called);
      break;
    }
    const bool in_piece = launch && called >= begin_ns_;
    Activity one{.begin_ns = std::max(activity.begin_ns, begin_ns_), .end_ns = end};
    if (activity.kind == run::ActivityKind::kKernel) {
      one.work = free_class(classes.of(activity.name));
      classes_ |= one.work;
    } else if (activity.kind == run::ActivityKind::kCopy) {
      one.work = kFreeCopies;
    }
    const auto next = static_cast<std::uint32_t>(streams.size());
    streams_.push_back(
        streams.try_emplace({activity.device, device_stream(activity)}, next).first->second);
    activities_.push_back(one);
    calls_.push_back(in_piece ? Call{.begin_ns = launch->begin_ns,
                                     .end_ns = std::max(launch->begin_ns, launch->end_ns),
                                     .lane = launch->lane,
                                     .copies = launch->state == HostState::kCopy}
                              : Call{.begin_ns = begin_ns_ - 1, .end_ns = begin_ns_ - 1});
    launched_ = launched_ || in_piece;
  }
}

void StepReplay::add_waits(const run::ProcessTrack& process, const run::NameTable& names) {
  NameCache waits(names, &run::is_sync_call);
  for (const run::HostSpan& span : process.host_spans.between(begin_ns_, end_ns_)) {
    if (span.kind != run::HostSpanKind::kCall || !waits.of(span.name)) continue;
    if (is_too_far(begin_ns_, span.end_ns)) continue;
    calls_.push_back({.begin_ns = span.begin_ns,
                      .end_ns = std::max(span.begin_ns, span.end_ns),
                      .lane = span.lane,
                      .waits = true});
  }
}

// calls_ has one entry for each activity, in their order, and the waits.
void StepReplay::group_by_call() {
  std::vector<std::uint32_t> by_begin(calls_.size());
  std::iota(by_begin.begin(), by_begin.end(), 0U);
  std::ranges::stable_sort(by_begin, {}, [&](std::uint32_t i) {
    return std::tuple(calls_[i].begin_ns, calls_[i].lane, calls_[i].waits);
  });
  std::vector<Call> grouped;
  for (const std::uint32_t i : by_begin) {
    const Call& call = calls_[i];
    const bool same = !grouped.empty() && !call.waits && !grouped.back().waits &&
                      grouped.back().begin_ns == call.begin_ns && grouped.back().lane == call.lane;
    if (!same) {
      grouped.push_back(call);
      grouped.back().first = static_cast<std::uint32_t>(order_.size());
      grouped.back().count = 0;
    }
    if (call.waits) continue;
    ++grouped.back().count;
    activities_[i].call = static_cast<std::uint32_t>(grouped.size() - 1);
    order_.push_back(i);
  }
  calls_ = std::move(grouped);
}

void StepReplay::find_blocking_copies() {
  for (Call& call : calls_) {
    call.blocks = call.copies && call.count > 0;
    for (std::uint32_t k = 0; k < call.count; ++k) {
      if (activities_[order_[call.first + k]].end_ns > call.end_ns) call.blocks = false;
    }
  }
}

// When the call had come so far that this could begin.
std::int64_t StepReplay::ready_ns(const Call& call, const Activity& activity) {
  return call.blocks ? call.begin_ns : std::min(call.end_ns, activity.begin_ns);
}

void StepReplay::tie_activities() {
  std::map<std::uint32_t, std::uint32_t> last_of;  // by stream
  for (std::uint32_t i = 0; i < activities_.size(); ++i) {
    Activity& activity = activities_[i];
    std::int64_t after = ready_ns(calls_[activity.call], activity);
    const auto before = last_of.find(streams_[i]);
    if (before != last_of.end()) {
      const Activity& one = activities_[before->second];
      // A stream runs in order; what does not is tied by its call alone.
      if (one.end_ns <= activity.begin_ns && one.call <= activity.call) {
        activity.before = before->second;
        if (one.end_ns >= after) activity.last = Activity::kBefore;
        after = std::max(after, one.end_ns);
      }
    }
    if (activity.begin_ns - after > kStartLatencyNs) {
      activity.other = latest_on_other_stream(i, after);
      if (activity.other != kNone) {
        activity.last = Activity::kOther;
        after = activities_[activity.other].end_ns;
      }
    }
    activity.behind_ns = activity.begin_ns - after;
    last_of[streams_[i]] = i;
  }
}

// Of what was launched before, and ended between after_ns and its begin.
std::uint32_t StepReplay::latest_on_other_stream(std::uint32_t index, std::int64_t after_ns) const {
  constexpr std::uint32_t kFar = 256;  // activities back
  const Activity& activity = activities_[index];
  std::uint32_t latest = kNone;
  for (std::uint32_t i = index; i > 0 && index - i < kFar; --i) {
    const Activity& one = activities_[i - 1];
    if (streams_[i - 1] == streams_[index] || one.call >= activity.call) continue;
    if (one.end_ns <= after_ns || one.end_ns > activity.begin_ns) continue;
    if (latest == kNone || one.end_ns > activities_[latest].end_ns) latest = i - 1;
  }
  return latest;
}

// The last to end within the call, of those launched before it.
void StepReplay::tie_waits() {
  constexpr std::size_t kFar = 4096;  // activities of one stream that may lie in its queue
  std::map<std::uint32_t, std::vector<std::uint32_t>> launched;  // by stream
  for (Call& call : calls_) {
    for (std::uint32_t k = 0; k < call.count; ++k) {
      launched[streams_[order_[call.first + k]]].push_back(order_[call.first + k]);
    }
    if (!call.waits) continue;
    for (const auto& [stream, indices] : launched) {
      const std::size_t stop = indices.size() - std::min(kFar, indices.size());
      for (std::size_t i = indices.size(); i > stop; --i) {
        const Activity& one = activities_[indices[i - 1]];
        if (one.end_ns > call.end_ns) continue;
        const bool later = call.awaited == kNone || one.end_ns > activities_[call.awaited].end_ns;
        if (one.end_ns > call.begin_ns && later) call.awaited = indices[i - 1];
        break;
      }
    }
  }
}

void StepReplay::measure_host(const HostTimeline& host) {
  const auto work_of = [](HostState state) {
    switch (state) {
      case HostState::kData:
        return kDataWork;
      case HostState::kCopy:
        return kCopyWork;
      case HostState::kNothing:
      case HostState::kPython:
      case HostState::kFramework:
        return kLaunchWork;
      default:
        return kOtherWork;
    }
  };
  std::int64_t at = begin_ns_;  // what lies before is accounted for
  const auto add_between = [&](std::int64_t until_ns, std::uint16_t lane, HostTimes& out) {
    for (const HostPiece& piece : host.between(lane, at, until_ns)) {
      out[work_of(piece.state)] += piece.end_ns - piece.begin_ns;
    }
    at = std::max(at, until_ns);
  };
  const Call* before = nullptr;
  const auto add_call = [&](std::int64_t until_ns, HostTimes& out) {
    if (before == nullptr || before->waits || before->blocks) return;
    const std::int64_t end = std::min(before->end_ns, until_ns);
    if (end <= at) return;
    out[before->copies ? kCopyWork : kLaunchWork] += end - at;
    at = end;
  };
  for (Call& call : calls_) {
    add_call(call.begin_ns, call.before_ns);
    add_between(call.begin_ns, call.lane, call.before_ns);
    if (call.waits || call.blocks) at = std::max(at, call.end_ns);
    before = &call;
  }
  add_call(end_ns_, tail_ns_);
  if (before != nullptr) add_between(end_ns_, before->lane, tail_ns_);
}

// One pass over the calls.
class StepReplay::Run {
 public:
  Run(const StepReplay& replay, FreeWork free)
      : replay_(replay), free_(free), end_ns_(replay.activities_.size()) {}

  // When the work of host and device has ended.
  std::int64_t end_ns() {
    for (const Call& call : replay_.calls_) take(call);
    advance(replay_.end_ns_, replay_.tail_ns_);
    std::int64_t end = replay_.end_ns_ - earlier_ns_;
    if (wait_) end = std::min(end, wait_->until_ns - wait_->earlier_ns);  // it ends in a wait
    for (const std::int64_t one : end_ns_) end = std::max(end, one);
    return end;
  }

 private:
  // The host comes to a time of the trace, having done this on the way.
  void advance(std::int64_t t_ns, const HostTimes& work) {
    if (wait_ && t_ns >= wait_->until_ns) {
      earlier_ns_ = wait_->earlier_ns;
      wait_.reset();
    }
    if ((free_ & kFreeData) != 0) earlier_ns_ += work[kDataWork];
    if ((free_ & kFreeCopies) != 0) earlier_ns_ += work[kCopyWork];
    if ((free_ & kFreeLaunches) != 0) earlier_ns_ += work[kLaunchWork];
  }

  void take(const Call& call) {
    advance(call.begin_ns, call.before_ns);
    const std::int64_t begin = call.begin_ns - earlier_ns_;
    std::int64_t last_ns = 0, last_was_ns = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t k = 0; k < call.count; ++k) {
      const std::uint32_t i = replay_.order_[call.first + k];
      const Activity& activity = replay_.activities_[i];
      start(i, begin + (call_is_free(call) ? 0 : ready_ns(call, activity) - call.begin_ns));
      if (activity.end_ns < last_was_ns) continue;
      last_was_ns = activity.end_ns;
      last_ns = end_ns_[i];
    }
    if (call.blocks) {
      const bool free = (free_ & kFreeCopies) != 0;
      wait(call, std::max(begin, last_ns + (free ? 0 : call.end_ns - last_was_ns)));
    } else if (call.waits) {
      wait(call, end_of_wait(call, begin));
    }
  }

  bool call_is_free(const Call& call) const {
    return (free_ & (call.copies ? kFreeCopies : kFreeLaunches)) != 0;
  }

  std::int64_t end_of_wait(const Call& call, std::int64_t begin) const {
    if ((free_ & kFreeSyncs) != 0) return begin;
    if (call.awaited == kNone) return begin + (call.end_ns - call.begin_ns);
    const std::int64_t rest = call.end_ns - replay_.activities_[call.awaited].end_ns;
    return std::max(begin, end_ns_[call.awaited] + rest);
  }

  // The host goes on from there. Other threads' calls within it come when they came.
  void wait(const Call& call, std::int64_t end) {
    if (wait_ && wait_->until_ns > call.end_ns) return;
    wait_ = {call.end_ns, call.end_ns - end};
  }

  void start(std::uint32_t index, std::int64_t ready) {
    const Activity& activity = replay_.activities_[index];
    const bool is_free = (free_ & activity.work) != 0;
    // A copy's time before it begins is the staging of its bytes.
    const bool staging = is_free && activity.work == kFreeCopies;
    const std::int64_t behind = staging ? 0 : activity.behind_ns;
    const auto term = [&](std::int64_t t_ns, auto which) {
      return t_ns + (activity.last == which ? behind : 0);
    };
    std::int64_t begin = term(ready, Activity::kCall);
    if (activity.before != kNone) {
      begin = std::max(begin, term(end_ns_[activity.before], Activity::kBefore));
    }
    if (activity.other != kNone) {
      begin = std::max(begin, term(end_ns_[activity.other], Activity::kOther));
    }
    end_ns_[index] = begin + (is_free ? 0 : activity.end_ns - activity.begin_ns);
  }

  struct Wait {
    std::int64_t until_ns = 0;    // in the trace
    std::int64_t earlier_ns = 0;  // by so much the host is earlier from there on
  };
  const StepReplay& replay_;
  FreeWork free_;
  std::int64_t earlier_ns_ = 0;  // than in the trace the host comes to where it is
  std::optional<Wait> wait_;
  std::vector<std::int64_t> end_ns_;  // of activities
};

std::int64_t StepReplay::length_ns(FreeWork free) const {
  if (empty()) return 0;
  return std::max<std::int64_t>(0, Run(*this, free).end_ns() - begin_ns_);
}

}  // namespace flatout::analyse
