// Why a device idled: each nanosecond of each gap has one cause, and they sum to the gaps.
//
// A gap ends with an activity, whose launch is known by its correlation. Up to the begin of the
// launch the host was late; what its thread did then is the cause:
//
//   data        the step thread fetched a batch
//   checkpoint  it saved or evaluated
//   peer        it waited for other ranks
//   sync        it waited for the device
//   copy        it was in a call that copies: with pageable memory the host moves the bytes
//   startup     it took memory, loaded modules, made contexts and streams; of a run, whatever it
//               did before the first step
//   launch      all else: the framework and Python were slower than the device
//
// Of `launch`, as much as a wait had cost is the wait's (`sync`, or `copy` of a call that copied).
// A thread that stands in a call while the device works is ahead of it; without that call it would
// have launched everything behind it sooner by as long as it stood. That lead is used up by the
// time in which the host is late, in this gap and in those that follow, whatever their cause. It is
// that of the longest wait which is not used up: leads of waits do not add up, since a program that
// waits for each result cannot be ahead by several. Waits within data, checkpoint, peer and
// start-up are theirs. Before the device's known time a wait owes nothing: what it waited for is
// not known, and where the device has not begun, there was nothing.
//
// In the call of the launch itself: `copy` of a copy, else `launch`. Behind it the device was to
// blame; kStartLatencyNs of that are `launch`, since a kernel on an idle device begins some
// microseconds after its call. The rest, and gaps whose launch is not in the trace, are
// `unexplained`, unless the step thread was in data, checkpoint or peer then. `throttle` lowers
// clocks and leaves no gap: a kernel trace has none.
//
// A gap that a window of tracing ends before its activity comes (DeviceGap::open_end) is what the
// thread did that launched last, as up to a launch: the host was late all along. A call that has
// not returned when tracing ends is not recorded: where nothing is, and the step thread is in a
// phase that waits or copies, the cause is `sync` or `copy`.
//
// Limits: whether the program could have done without a wait, nothing says: a lead that a wait cost
// may be one that it could never have had, where all that follows needs what it waited for. What
// several threads launch in turn is judged by the one that ended the gap; a wait of
// one stream for another's event counts as late on the device (unexplained); a kernel inside a CUDA
// graph has the graph's launch.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "analyse/kernels/device_busy_time.h"
#include "analyse/kernels/host_timeline.h"
#include "run/idle_cause.h"

namespace flatout::analyse {

using run::IdleCause;
using run::kIdleCauses;

// A part of a gap that has one cause.
struct IdlePiece {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  IdleCause cause = IdleCause::kUnexplained;
  friend bool operator==(const IdlePiece&, const IdlePiece&) = default;
};

// From the return of a launch to the begin of its kernel on an idle device: in four traces of V100,
// A100 and H100 1.4 to 3 us in the median, and 99 of 100 within 7.
constexpr std::int64_t kStartLatencyNs = 10'000;

class IdleAccount {
 public:
  // `take`, where given, gets the pieces of each gap as it is added: in order of time, none empty,
  // neighbours of different causes; they hold all of the gap, and the sums are theirs.
  using Take = std::function<void(const IdlePiece& piece)>;
  // `host` must outlive it.
  explicit IdleAccount(const HostTimeline& host, Take take = {})
      : host_(&host), take_(std::move(take)) {}
  // Gets what of `sync` a wait cost: the thread that waited, a time at which it did, and how long.
  using TakeSync = std::function<void(std::uint16_t lane, std::int64_t at_ns, std::int64_t ns)>;
  void set_take_sync(TakeSync take) { take_sync_ = std::move(take); }
  // Of gaps from now on; what was before is not known to them. From `known_from_ns` on it is known
  // what the device did.
  void set_host(const HostTimeline& host, std::int64_t known_from_ns) {
    host_ = &host;
    lead_ = {};
    known_from_ns_ = known_from_ns;
  }

  void add(const DeviceGap& gap);

  std::int64_t of(IdleCause cause) const { return ns_[static_cast<std::size_t>(cause)]; }
  std::int64_t sum() const;
  // Of `launch`: outside of the framework's ops and calls.
  std::int64_t launch_in_python() const { return launch_in_python_; }
  // Of `launch`: while the step thread was in no phase.
  std::int64_t launch_outside_phases() const { return launch_outside_phases_; }

 private:
  // What comes next in the gap, up to until_ns.
  void add_until(std::int64_t until_ns, IdleCause cause);
  void hand_on();
  // Likewise, because of the wait in which the thread was at `waited_ns`.
  void add_sync_until(std::int64_t until_ns, std::uint16_t lane, std::int64_t waited_ns);
  // What the host's waits until a time had cost, beside what is known already.
  void take_waits(std::uint16_t lane, std::int64_t until_ns);
  std::int64_t use_up(std::int64_t late_ns);
  // Up to until_ns the host was merely slow. From when on `launch` is the cause.
  std::int64_t add_launch(std::int64_t until_ns);
  void add_late(const DeviceGap& gap, std::uint16_t lane, std::int64_t until_ns);
  // Likewise, of the step thread's code.
  void add_slow(std::int64_t until_ns, bool in_python);
  // Nothing is recorded of what the host did until then. `late`: it launched nothing.
  void add_unrecorded(std::int64_t until_ns, bool late);
  void add_open_end(const DeviceGap& gap);
  void add_without_launch(const DeviceGap& gap);

  // By which the host would be ahead without a wait.
  struct Lead {
    std::int64_t ns = 0;
    IdleCause cause = IdleCause::kSync;
    std::uint16_t lane = 0;  // of the thread that waited
    std::int64_t waited_ns = 0;
    std::int64_t since_ns = std::numeric_limits<std::int64_t>::min();  // end of the last gap
  };

  const HostTimeline* host_;
  std::int64_t known_from_ns_ = std::numeric_limits<std::int64_t>::min();
  Take take_;
  Lead lead_;
  TakeSync take_sync_;
  std::int64_t at_ns_ = 0;          // of the gap, what lies before has its cause
  std::optional<IdlePiece> piece_;  // that ends there, and may go on
  std::array<std::int64_t, kIdleCauses> ns_{};
  std::int64_t launch_in_python_ = 0;
  std::int64_t launch_outside_phases_ = 0;
};

}  // namespace flatout::analyse
