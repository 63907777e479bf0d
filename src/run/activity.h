// What a kernel trace holds: what a device did (DeviceActivity), and what the host's threads did
// meanwhile (HostSpan). A million of each is usual, so that both are small and name themselves by a
// number in the Timeline's NameTable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

namespace flatout::run {

enum class ActivityKind : std::uint8_t { kKernel, kCopy, kMemset };

enum class CopyDirection : std::uint8_t {
  kUnknown,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,  // within one device, or to another
};

// Of the host's side of a copy.
enum class HostMemory : std::uint8_t { kUnknown, kPageable, kPinned };

struct DeviceActivity {
  static constexpr std::uint64_t kUnknownBytes = std::numeric_limits<std::uint64_t>::max();

  std::int64_t begin_ns = 0;  // CLOCK_MONOTONIC, or what a trace counts from; as the host's spans
  std::int64_t end_ns = 0;
  std::uint64_t correlation = 0;  // of the HostSpan that launched it; 0 = not known
  std::uint64_t bytes = kUnknownBytes;
  std::uint32_t name = 0;
  std::uint32_t stream = 0;
  std::uint32_t graph = 0;       // the CUDA graph that it is a node of; 0 = none, or not known
  std::uint32_t graph_node = 0;  // which of its nodes: the lower half of CUPTI's number
  std::uint16_t device = 0;      // as CUDA counts it in its process
  std::uint16_t context = 0;     // CUDA's, whose streams these are; 0 = not known
  ActivityKind kind = ActivityKind::kKernel;
  CopyDirection direction = CopyDirection::kUnknown;
  HostMemory host_memory = HostMemory::kUnknown;
  friend bool operator==(const DeviceActivity&, const DeviceActivity&) = default;
};
static_assert(sizeof(DeviceActivity) == 56);
inline std::int64_t record_time(const DeviceActivity& activity) { return activity.begin_ns; }

enum class HostSpanKind : std::uint8_t {
  kOp,          // of a framework: aten::add
  kPython,      // a function of Python
  kCall,        // of CUDA's or HIP's runtime or driver
  kAnnotation,  // a range that a program or framework marked: ProfilerStep#3, NVTX's push and pop
  // A range with a begin and an end of its own (nvtxRangeStart): it need not nest with others of
  // its thread, which is the one that began it, and another one may end it.
  kRange,
  kMark,  // a moment that the program marked (nvtxMark): it ends when it begins
};
constexpr HostSpanKind kLastHostSpanKind = HostSpanKind::kMark;

struct HostSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t correlation = 0;  // of what it launched; 0 = nothing, or not known
  std::uint32_t name = 0;
  std::uint16_t lane = 0;  // of its process: ProcessTrack::lanes
  HostSpanKind kind = HostSpanKind::kOp;
  friend bool operator==(const HostSpan&, const HostSpan&) = default;
};
inline std::int64_t record_time(const HostSpan& span) { return span.begin_ns; }
// An outer one before its inner ones.
inline bool record_before(const HostSpan& a, const HostSpan& b) {
  return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
}

// Lanes of a thread as a run's trace ring numbers them begin here, those of its other ring at 0:
// run/threads.h says which are the same thread.
constexpr std::uint16_t kFirstTraceLane = 0x4000;

// Why a window of tracing ended.
enum class WindowEnd : std::uint8_t {
  kPlanned,  // its time was over
  kExit,     // the process ended
  kYielded,  // to another client of CUPTI
  kFailed,   // a call of CUPTI's failed
};

// A time in which a process of a run was traced: of what lies outside of all windows nothing is
// known. A trace of another tool has none.
struct TraceWindow {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t dropped = 0;  // records for which CUPTI had no room
  WindowEnd end = WindowEnd::kPlanned;
  friend bool operator==(const TraceWindow&, const TraceWindow&) = default;
};
inline std::int64_t record_time(const TraceWindow& window) { return window.begin_ns; }

// What a name of a process's trace ring is called in the run's NameTable.
struct TraceName {
  std::uint32_t in_ring = 0;  // as the ring numbers it
  std::uint32_t number = 0;   // in the run's table
  std::string text;           // "" where the number was named before
  friend bool operator==(const TraceName&, const TraceName&) = default;
};

// What a trace says of a collective beside its kernel; numbers of names as in a DeviceActivity.
struct CollectiveFact {
  static constexpr std::uint64_t kUnknownElements = std::numeric_limits<std::uint64_t>::max();

  std::int64_t begin_ns = 0;  // of its kernel, as device and stream
  std::uint32_t stream = 0;
  std::uint16_t device = 0;
  std::uint32_t operation = 0;                // "allreduce"
  std::uint32_t group = 0;                    // the process group with its ranks: "0 [0, 1]"
  std::int64_t sequence = -1;                 // its number in the group; -1 = not known
  std::uint64_t elements = kUnknownElements;  // that a rank puts in
  friend bool operator==(const CollectiveFact&, const CollectiveFact&) = default;
};
inline std::int64_t record_time(const CollectiveFact& fact) { return fact.begin_ns; }

// Names of a trace, each once. Number 0 is "".
class NameTable {
 public:
  NameTable() { add(""); }
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  std::uint32_t add(std::string_view name) {
    if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    bytes_ += name.size();
    numbers_.emplace(names_.back(), number);
    return number;
  }
  // A name that has its number already, as a run's recorder gave it; those left out are "".
  // False: beyond `kMostNames`.
  static constexpr std::uint32_t kMostNames = 1U << 20;
  bool set(std::uint32_t number, std::string_view name) {
    if (number == 0 || number >= kMostNames) return false;
    while (names_.size() <= number) names_.emplace_back();
    if (!names_[number].empty()) return true;
    names_[number] = name;
    bytes_ += name.size();
    numbers_.emplace(names_[number], number);
    return true;
  }
  // "" for a number that was never given.
  std::string_view at(std::uint32_t number) const {
    return number < names_.size() ? std::string_view(names_[number]) : std::string_view();
  }
  std::size_t size() const { return names_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::deque<std::string> names_;  // which never moves them
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::size_t bytes_ = 0;
};

}  // namespace flatout::run
