// Writes the records of a kernel trace into the process's trace ring (wire/activity_record.h),
// which is made at the first of them. Names and threads are announced before their first use. One
// thread at a time; nothing allocates once the ring stands but the table of names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/cupti/name_table.h"
#include "run/activity.h"
#include "wire/activity_record.h"
#include "wire/ring.h"

namespace flatout::inject::cupti {

class TraceRing {
 public:
  static constexpr std::uint16_t kNoLane = 0xffff;

  // Copies what the environment says: FLATOUT_RING_DIR, FLATOUT_TRACE_RING_BYTES, and what any ring
  // is made by. False without a folder for rings.
  bool configure();

  // `record` without head and name. kernel: as CUPTI names it, or nullptr.
  void activity(wire::ActivityRecord record, std::int64_t begin_ns, const char* kernel);
  // The lane of thread `tid`; kNoLane where there is no room for another one.
  std::uint16_t lane_of(std::int32_t tid);
  // The same for a thread that was met already, kNoLane for any other.
  std::uint16_t known_lane_of(std::int32_t tid) const;
  void call(std::uint16_t lane, std::int64_t begin_ns, std::int64_t end_ns,
            std::uint64_t correlation, const char* name, std::size_t name_bytes);
  // What the program marked for itself: kAnnotation, kRange, kMark.
  void range(run::HostSpanKind kind, std::uint16_t lane, std::int64_t begin_ns, std::int64_t end_ns,
             const char* name, std::size_t name_bytes);
  void window(std::int64_t begin_ns, std::int64_t end_ns, std::uint64_t dropped,
              wire::TraceEnd end);
  void fact(const char* key, const char* json);

 private:
  bool opens();
  void host_span(run::HostSpanKind kind, std::uint16_t lane, std::int64_t begin_ns,
                 std::int64_t end_ns, std::uint64_t correlation, const char* name,
                 std::size_t name_bytes);
  template <typename Record>
  void put(const Record& record);
  template <typename Record>
  bool put_text(Record record, const char* a, std::size_t a_bytes, const char* b,
                std::size_t b_bytes);
  std::uint32_t announced(NameTable::Entry* name);

  char directory_[384] = "";
  std::size_t bytes_ = wire::kTraceRingBytes;
  bool exact_ = false;
  bool segment_ = false;
  int rank_ = -1;
  bool failed_ = false;
  wire::RingWriter writer_;
  NameTable names_;
  std::int32_t last_tid_ = 0;
  std::uint16_t last_lane_ = kNoLane;
};

}  // namespace flatout::inject::cupti
