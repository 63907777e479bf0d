#include "analyse/kernels/idle_account.h"

#include <algorithm>
#include <numeric>
#include <optional>

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
    add_until(returned, launch->state == HostState::kCopy ? IdleCause::kCopy : IdleCause::kLaunch);
    add_until(std::min(gap.end_ns, returned + kStartLatencyNs), IdleCause::kLaunch);
  }
  add_without_launch(gap);
  hand_on();
}

void IdleAccount::add_open_end(const DeviceGap& gap) {
  const std::optional<Launch> before = host_->launch(gap.next.correlation);
  const auto lane = before ? std::optional(before->lane) : host_->step_lane();
  if (lane) add_late(gap, *lane, gap.end_ns);
  add_without_launch(gap);
}

void IdleAccount::add_late(const DeviceGap& gap, std::uint16_t lane, std::int64_t until_ns) {
  const std::optional<std::int64_t> since = host_->sync_since(lane, gap.begin_ns);
  std::int64_t lead = since ? gap.begin_ns - *since : 0;
  for (const HostPiece& piece : host_->between(lane, gap.begin_ns, until_ns)) {
    if (piece.state == HostState::kSync) {
      add_sync_until(piece.end_ns, lane, piece.begin_ns);
      continue;
    }
    if (const auto cause = cause_of(piece.state)) {
      add_until(piece.end_ns, *cause);
      continue;
    }
    const std::int64_t lost = std::min(lead, piece.end_ns - piece.begin_ns);
    lead -= lost;
    add_sync_until(piece.begin_ns + lost, lane, gap.begin_ns);
    if (piece.state != HostState::kFramework) launch_in_python_ += piece.end_ns - at_ns_;
    launch_outside_phases_ += host_->outside_phases_ns(at_ns_, piece.end_ns);
    add_until(piece.end_ns, IdleCause::kLaunch);
  }
}

// What is left of the gap.
void IdleAccount::add_without_launch(const DeviceGap& gap) {
  constexpr std::uint16_t kNoLane = 0xFFFF;
  for (const HostPiece& piece : host_->between(kNoLane, at_ns_, gap.end_ns)) {
    const auto cause = is_of_step_thread(piece.state) ? cause_of(piece.state) : std::nullopt;
    add_until(piece.end_ns, cause.value_or(IdleCause::kUnexplained));
  }
}

}  // namespace flatout::analyse
