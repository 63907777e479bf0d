// Keeps records until they can be written into the client's buffers, in the order of the calls that
// they come from: one of an operation that has not ended holds back those after it, as it would
// hold back its buffer in CUPTI (cuptiActivityFlushAll). In CUPTI a thread of its own writes them;
// here the program's threads do so at the end of a call, or when the client flushes.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "cupti/buffers.h"
#include "cupti/clock.h"
#include "cupti/record.h"
#include "cupti/selection.h"

namespace simgpu::cupti {

struct Options {
  bool latency = false;            // cuptiActivityEnableLatencyTimestamps
  bool event_times = false;        // cuptiActivityEnableCudaEventDeviceTimestamps
  bool failed_syncs = true;        // cuptiActivityEnableAllSyncRecords
  bool system_thread_ids = false;  // cuptiSetThreadIdType
};

class Collector {
 public:
  // Any thread may change or ask these with `lock` held, which is never held while a function of
  // the client runs.
  std::mutex lock;
  Selection selection;
  Options options;

  void add(Record record);                          // with `lock` held
  void add_when(Nanoseconds ended, Record record);  // likewise

  // Writes what is ready where that is a lot, unless another thread does so already.
  void deliver_many();
  // Writes what is ready.
  void deliver();
  enum class Flush : std::uint8_t { kCompleted, kForced };
  CUptiResult flush(Flush what);

  CUptiResult serve(CUpti_BuffersCallbackRequestFunc request,
                    CUpti_BuffersCallbackCompleteFunc complete);
  CUptiResult use_clock(CUpti_TimestampCallbackFunc callback);
  std::uint64_t client_time() const { return clock_.read(); }
  std::size_t take_dropped() { return buffers_.take_dropped(); }
  void set_may_zero(bool may_zero) { buffers_.may_zero = may_zero; }
  // All of it, as before the first use. What was not handed over is lost.
  CUptiResult reset();

 private:
  struct Pending {
    Nanoseconds ends;
    Record record;
  };
  class Delivering;
  std::vector<Record> take(bool forced);
  void write_out(bool forced);
  bool has_pending();

  std::deque<Pending> records_;        // in the order of their calls
  std::atomic<std::size_t> added_{0};  // since the last delivery

  std::mutex delivery_;
  ClientClock clock_;
  Buffers buffers_;
};

// One a process; made at the first use, and anew in a child after fork.
Collector& collector();

}  // namespace simgpu::cupti
