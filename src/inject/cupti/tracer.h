// CUPTI's activity records of this process, switched on and off. One thread at a time; that of the
// callbacks may be any.
#pragma once

#include <cstdint>

#include "inject/cupti/buffer_pool.h"
#include "inject/cupti/cupti_api.h"
#include "inject/cupti/host_clock.h"
#include "inject/cupti/record_drain.h"
#include "inject/cupti/settings.h"
#include "inject/cupti/trace_ring.h"

namespace flatout::inject::cupti {

class Tracer {
 public:
  // nullptr, or why there is nothing to trace with: a text that lasts. Once.
  const char* open(const Settings& settings);
  // "13.0"; "" before open(), "API 99" of one that is not known.
  const char* version() const { return version_; }

  // Whether somebody else has subscribed to CUPTI: a profiler of the program's, or one from
  // outside. Subscribes for some microseconds, in which another one would be refused.
  bool is_anothers() const;

  // nullptr: tracing is on. Else why not, and it is off.
  const char* enable(RequestBuffer, CompleteBuffer);
  void disable();

  // Gets what CUPTI has, and writes it. kForced also takes buffers with records of what has not
  // ended; those are counted as lost.
  enum class Flush : std::uint8_t { kEnded, kForced };
  void collect(Flush how, BufferPool& pool, TraceRing& ring);
  // Only what came back by itself.
  void drain(BufferPool& pool, TraceRing& ring);
  // At the end of a window, after the last drain.
  void settle(TraceRing& ring);

  // Records that CUPTI made since the last call, but those that it dropped.
  std::uint64_t take_made() { return drain_.take_made(); }
  // Records that CUPTI or we dropped since the last call.
  std::uint64_t take_dropped();

  // Clock and thread ids of what CUPTI records from now on are as if we had never been there.
  void hand_back();

 private:
  const char* enable_kinds();
  void set_calls(bool on);
  void set_calls_of(Domain domain, Status (*set)(std::uint32_t, std::uint8_t), RecordKind kind,
                    bool on);
  void own_thread_ids();
  void give_back_thread_ids();

  Api api_{};
  char version_[16] = "";
  HostClock clock_;
  RecordDrain drain_;
  bool selects_calls_ = false;
  bool registered_ = false;
  bool thread_ids_changed_ = false;
  std::uint32_t thread_ids_before_ = 0;
  char why_[96] = "";
};

}  // namespace flatout::inject::cupti
