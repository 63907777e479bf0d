#include "analyse/kernels/idle_account.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

namespace flatout::analyse {
namespace {

// Empty: the host was merely slow.
std::optional<IdleCause> cause_of(HostState state) {
  switch (state) {
    case HostState::kData:
      return IdleCause::kData;
    case HostState::kCheckpoint:
      return IdleCause::kCheckpoint;
    case HostState::kPeer:
      return IdleCause::kPeer;
    case HostState::kSync:
      return IdleCause::kSync;
    case HostState::kCopy:
      return IdleCause::kCopy;
    case HostState::kSetup:
      return IdleCause::kStartup;
    default:
      return std::nullopt;
  }
}

bool is_of_step_thread(HostState state) {
  return state == HostState::kData || state == HostState::kCheckpoint || state == HostState::kPeer;
}

}  // namespace

std::int64_t IdleAccount::sum() const {
  return std::accumulate(ns_.begin(), ns_.end(), std::int64_t{0});
}

void IdleAccount::add_until(std::int64_t until_ns, IdleCause cause) {
  if (until_ns <= at_ns_) return;
  ns_[static_cast<std::size_t>(cause)] += until_ns - at_ns_;
  if (!piece_ || piece_->cause != cause) {
    hand_on();
    piece_.emplace(at_ns_, until_ns, cause);
  }
  piece_->end_ns = at_ns_ = until_ns;
}

void IdleAccount::add_sync_until(std::int64_t until_ns, std::uint16_t lane,
                                 std::int64_t waited_ns) {
  const std::int64_t ns = until_ns - at_ns_;
  if (take_sync_ && ns > 0) take_sync_(lane, waited_ns, ns);
  add_until(until_ns, IdleCause::kSync);
}

void IdleAccount::hand_on() {
  if (piece_ && take_) take_(*piece_);
  piece_.reset();
}

void IdleAccount::add(const DeviceGap& gap) {
  at_ns_ = gap.begin_ns;
  if (gap.open_end) {
    add_open_end(gap);
    return hand_on();
  }
  const std::optional<Launch> launch = host_->launch(gap.next.correlation);
  if (launch && launch->begin_ns <= gap.end_ns) {  // else none, or by a clock that is off
    const std::int64_t called = std::clamp(launch->begin_ns, gap.begin_ns, gap.end_ns);
    const std::int64_t returned = std::clamp(launch->end_ns, called, gap.end_ns);
    add_late(gap, launch->lane, called);
    if (launch->state == HostState::kCopy) add_until(returned, IdleCause::kCopy);
    add_launch(std::min(gap.end_ns, returned + kStartLatencyNs));
  }
  add_without_launch(gap);
  lead_.since_ns = gap.end_ns;
  hand_on();
}

void IdleAccount::add_open_end(const DeviceGap& gap) {
  const std::optional<Launch> before = host_->launch(gap.next.correlation);
  const auto lane = before ? std::optional(before->lane) : host_->step_lane();
  if (lane) add_late(gap, *lane, gap.end_ns);
  add_without_launch(gap);
}

void IdleAccount::take_waits(std::uint16_t lane, std::int64_t until_ns) {
  const std::span<const HeldCall> waits = host_->held(lane);
  auto wait = std::ranges::upper_bound(waits, lead_.since_ns, {}, &HeldCall::end_ns);
  for (; wait != waits.end() && wait->begin_ns < until_ns; ++wait) {
    if (host_->phase_at(wait->begin_ns) != HostState::kNothing) continue;
    const std::int64_t from_ns = std::max(wait->begin_ns, known_from_ns_);
    const std::int64_t stood = std::min(wait->end_ns, until_ns) - from_ns;
    if (stood <= 0 || stood < lead_.ns) continue;
    lead_.ns = stood;
    lead_.lane = lane;
    lead_.waited_ns = wait->begin_ns;
    lead_.cause = wait->state == HostState::kCopy ? IdleCause::kCopy : IdleCause::kSync;
  }
}

std::int64_t IdleAccount::add_launch(std::int64_t until_ns) {
  if (until_ns <= at_ns_) return until_ns;
  const std::int64_t lost_ns = at_ns_ + use_up(until_ns - at_ns_);
  if (lead_.cause == IdleCause::kSync) add_sync_until(lost_ns, lead_.lane, lead_.waited_ns);
  add_until(lost_ns, lead_.cause);
  const std::int64_t from_ns = at_ns_;
  add_until(until_ns, IdleCause::kLaunch);
  return from_ns;
}

std::int64_t IdleAccount::use_up(std::int64_t late_ns) {
  const std::int64_t lost = std::min(lead_.ns, late_ns);
  lead_.ns -= lost;
  return lost;
}

void IdleAccount::add_late(const DeviceGap& gap, std::uint16_t lane, std::int64_t until_ns) {
  take_waits(lane, gap.begin_ns);
  if (host_->step_lane().value_or(lane) != lane) take_waits(*host_->step_lane(), gap.begin_ns);
  for (const HostPiece& piece : host_->between(lane, gap.begin_ns, until_ns)) {
    if (piece.state == HostState::kSync) {
      add_sync_until(piece.end_ns, lane, piece.begin_ns);
      continue;
    }
    if (const auto cause = cause_of(piece.state)) {
      if (piece.state != HostState::kCopy) use_up(piece.end_ns - piece.begin_ns);
      add_until(piece.end_ns, *cause);
      continue;
    }
    if (gap.open_end && piece.state == HostState::kNothing) {
      add_unrecorded(piece.end_ns, true);
    } else {
      add_slow(piece.end_ns, piece.state != HostState::kFramework);
    }
  }
}

void IdleAccount::add_slow(std::int64_t until_ns, bool in_python) {
  const std::int64_t from_ns = add_launch(until_ns);
  if (in_python) launch_in_python_ += until_ns - from_ns;
  launch_outside_phases_ += host_->outside_phases_ns(from_ns, until_ns);
}

// What is left of the gap.
void IdleAccount::add_without_launch(const DeviceGap& gap) {
  constexpr std::uint16_t kNoLane = 0xFFFF;
  for (const HostPiece& piece : host_->between(kNoLane, at_ns_, gap.end_ns)) {
    const auto cause = is_of_step_thread(piece.state) ? cause_of(piece.state) : std::nullopt;
    if (cause) {
      add_until(piece.end_ns, *cause);
      continue;
    }
    if (gap.open_end) add_unrecorded(piece.end_ns, false);
    add_until(piece.end_ns, IdleCause::kUnexplained);
  }
}

void IdleAccount::add_unrecorded(std::int64_t until_ns, bool late) {
  const StateChanges<HostState>& waits = host_->phase_waits();
  while (at_ns_ < until_ns) {
    const std::int64_t next_ns = std::min(until_ns, waits.next_change(at_ns_));
    if (waits.at(at_ns_) == HostState::kSync) {
      add_sync_until(next_ns, host_->step_lane().value_or(0), at_ns_);
    } else if (const std::optional<IdleCause> cause = cause_of(waits.at(at_ns_))) {
      add_until(next_ns, *cause);
    } else if (late) {
      add_slow(next_ns, true);
    } else {
      add_until(next_ns, IdleCause::kUnexplained);
    }
  }
}

}  // namespace flatout::analyse
