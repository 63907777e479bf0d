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

void IdleAccount::add(const DeviceGap& gap) {
  const std::optional<Launch> launch = host_.launch(gap.next.correlation);
  if (!launch || launch->begin_ns > gap.end_ns) {  // by a clock that is off
    return add_without_launch(gap, gap.begin_ns);
  }
  const std::int64_t called = std::clamp(launch->begin_ns, gap.begin_ns, gap.end_ns);
  const std::int64_t returned = std::clamp(launch->end_ns, called, gap.end_ns);
  add_late(gap, *launch, called);
  add(launch->state == HostState::kCopy ? IdleCause::kCopy : IdleCause::kLaunch, returned - called);
  const std::int64_t began = std::min(gap.end_ns, returned + kStartLatencyNs);
  add(IdleCause::kLaunch, began - returned);
  if (began < gap.end_ns) add_without_launch(gap, began);
}

void IdleAccount::add_late(const DeviceGap& gap, const Launch& launch, std::int64_t until_ns) {
  const std::optional<std::int64_t> since = host_.sync_since(launch.lane, gap.begin_ns);
  std::int64_t lead = since ? gap.begin_ns - *since : 0;
  for (const HostPiece& piece : host_.between(launch.lane, gap.begin_ns, until_ns)) {
    std::int64_t ns = piece.end_ns - piece.begin_ns;
    if (const auto cause = cause_of(piece.state)) {
      add(*cause, ns);
      continue;
    }
    const std::int64_t lost = std::min(lead, ns);
    add(IdleCause::kSync, lost);
    lead -= lost;
    ns -= lost;
    add(IdleCause::kLaunch, ns);
    if (piece.state != HostState::kFramework) launch_in_python_ += ns;
  }
}

void IdleAccount::add_without_launch(const DeviceGap& gap, std::int64_t from_ns) {
  constexpr std::uint16_t kNoLane = 0xFFFF;
  for (const HostPiece& piece : host_.between(kNoLane, from_ns, gap.end_ns)) {
    const auto cause = is_of_step_thread(piece.state) ? cause_of(piece.state) : std::nullopt;
    add(cause.value_or(IdleCause::kUnexplained), piece.end_ns - piece.begin_ns);
  }
}

}  // namespace flatout::analyse
