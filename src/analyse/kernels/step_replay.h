// What a piece of a kernel trace would have taken if some of its work took no time: its host calls
// and what they launched are replayed by the dependencies that can be seen.
//
// The replay goes over the host's calls that launch something or wait for the device, of all
// threads on one clock, in order of their begin:
//   - between two calls the host takes as long as it did, by what it did there (HostTimeline): a
//     batch fetch, copying, launching, or other work, which stays as it is;
//   - what a call launched begins once the call has returned (begun, where it is a copy that the
//     call waits for),
//     once what lies before it on its stream has ended, and, where it begins later than both by
//     more than kStartLatencyNs, behind what ended last on another stream until then. The time
//     that it took from the last of these to its begin stays between these two;
//   - it takes as long as it did;
//   - a call that waits returns behind the activity that ended last until its return, of those
//     launched before it; where none ended within the call it takes as long as it did.
// What was launched before the piece and runs in it is work of the piece, too; it waits for nothing
// but its stream.
// With nothing made free this gives each time of the trace again, to the nanosecond. Making work
// free moves times forward only: no term of the above grows.
//
// Limits, for which every gain is an upper bound: a dependency that never held anything up is not
// seen, and would hold up once other work is gone; the device runs no slower for having more to do
// at once, and its queues hold any number of launches; one thread that waits does not keep another
// waiting; kernels launched by one call depend on each other by streams alone. Where host threads
// launch on several devices at the same time, one clock for all of them is coarse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyse/kernels/host_timeline.h"
#include "analyse/kernels/kernel_class.h"
#include "run/timeline.h"

namespace flatout::analyse {

// What takes no time: kernel classes by their number, and these.
using FreeWork = std::uint32_t;
constexpr FreeWork free_class(KernelClass kind) {
  return FreeWork{1} << static_cast<unsigned>(kind);
}
constexpr FreeWork kFreeCopies = 1U << 16U;    // on the device, and in the calls that copy
constexpr FreeWork kFreeLaunches = 1U << 17U;  // the host's time from launch to launch
constexpr FreeWork kFreeData = 1U << 18U;      // batch fetches
constexpr FreeWork kFreeSyncs = 1U << 19U;     // the host waits for nothing

class StepReplay {
 public:
  static constexpr std::size_t kMostActivities = 100'000;  // 230 bytes each while it is built

  // Of what was launched before end_ns and ended behind begin_ns, up to kMostActivities: the piece
  // ends before the first call beyond. Nothing of the arguments is kept.
  StepReplay(const run::ProcessTrack& process, const run::NameTable& names,
             const HostTimeline& host, std::int64_t begin_ns, std::int64_t end_ns);

  // Whether no call is known that launched something in it.
  bool empty() const { return !launched_; }
  // From its begin to the end of the host's or the device's work, whichever is later.
  std::int64_t length_ns(FreeWork free) const;
  FreeWork classes() const { return classes_; }  // of its kernels

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  enum HostWork : std::uint8_t { kOtherWork, kDataWork, kCopyWork, kLaunchWork, kHostWorks };
  using HostTimes = std::array<std::int64_t, kHostWorks>;

  struct Call {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    HostTimes before_ns{};    // of the host, since the call before it
    std::uint32_t first = 0;  // of what it launched, in order_
    std::uint32_t count = 0;
    std::uint32_t awaited = kNone;  // the activity for which it waits
    std::uint16_t lane = 0;
    bool waits = false;   // launches nothing, waits for the device
    bool copies = false;  // its call copies
    bool blocks = false;  // and waits for its own copy
  };
  struct Activity {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t behind_ns = 0;  // it began so long after the last of what it waited for
    std::uint32_t call = kNone;
    std::uint32_t before = kNone;  // on its stream
    std::uint32_t other = kNone;   // on another stream
    FreeWork work = 0;
    enum : std::uint8_t { kCall, kBefore, kOther } last = kCall;  // of what it waited for
  };
  class Run;

  void add_activities(const run::ProcessTrack& process, const run::NameTable& names,
                      const HostTimeline& host);
  void add_waits(const run::ProcessTrack& process, const run::NameTable& names);
  void group_by_call();
  void find_blocking_copies();
  void tie_activities();
  void tie_waits();
  void measure_host(const HostTimeline& host);
  std::uint32_t latest_on_other_stream(std::uint32_t index, std::int64_t after_ns) const;
  static std::int64_t ready_ns(const Call& call, const Activity& activity);

  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  HostTimes tail_ns_{};                 // of the host, after the last call
  std::vector<Call> calls_;             // in order of begin
  std::vector<Activity> activities_;    // in order of begin
  std::vector<std::uint32_t> streams_;  // of each activity, numbered
  std::vector<std::uint32_t> order_;    // activities by call
  FreeWork classes_ = 0;
  bool launched_ = false;
};

}  // namespace flatout::analyse
