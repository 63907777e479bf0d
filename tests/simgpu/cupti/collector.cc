#include "cupti/collector.h"

#include <pthread.h>
#include <unistd.h>

#include <new>

namespace simgpu::cupti {
namespace {

constexpr std::size_t kMany = 64;

thread_local bool delivering = false;  // a function of the client runs on this thread, or may

void* memory_of_collector() {
  alignas(Collector) static unsigned char memory[sizeof(Collector)];
  return memory;
}

// A child has neither the parent's client nor its records; who held a lock stayed behind.
void in_child() {
  delivering = false;
  new (memory_of_collector()) Collector;
}

Collector* make() {
  auto* const made = new (memory_of_collector()) Collector;
  pthread_atfork(nullptr, nullptr, in_child);
  return made;
}

Record overhead(Nanoseconds start, Nanoseconds end) {
  CUpti_ActivityOverhead3 made{};
  made.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  made.overheadKind = CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST;
  made.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  made.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
  made.objectId.pt.threadId = static_cast<std::uint32_t>(pthread_self());
  made.start = static_cast<std::uint64_t>(start);
  made.end = static_cast<std::uint64_t>(end);
  return made;
}

}  // namespace

Collector& collector() {
  static Collector* const one = make();
  return *one;
}

// Marks this thread as the one that delivers, so that a function of the client cannot do so again.
class Collector::Delivering {
 public:
  explicit Delivering(Collector& collector) : guard_(collector.delivery_) { delivering = true; }
  Delivering(Collector& collector, std::try_to_lock_t how) : guard_(collector.delivery_, how) {
    delivering = guard_.owns_lock();
  }
  ~Delivering() {
    if (guard_.owns_lock()) {
      delivering = false;
    }
  }
  bool owns() const { return guard_.owns_lock(); }

 private:
  std::unique_lock<std::mutex> guard_;
};

void Collector::add(Record record) { add_when(0, record); }

void Collector::add_when(Nanoseconds ended, Record record) {
  records_.push_back({ended, record});
  ++added_;
}

std::vector<Record> Collector::take(bool forced) {
  const std::lock_guard guard(lock);
  std::vector<Record> taken;
  const Nanoseconds moment = now();
  while (!records_.empty() && (forced || records_.front().ends <= moment)) {
    taken.push_back(records_.front().record);
    if (records_.front().ends > moment) {
      forget_times(taken.back());
    }
    records_.pop_front();
  }
  added_ = 0;
  return taken;
}

bool Collector::has_pending() {
  const std::lock_guard guard(lock);
  return !records_.empty();
}

void Collector::write_out(bool forced) {
  if (added_.load() != 0) {
    buffers_.prepare();
  }
  const std::vector<Record> records = take(forced);
  if (records.empty()) {
    return;
  }
  clock_.compare(now());
  for (const Record& record : records) {
    buffers_.put(record, clock_);
    Nanoseconds start = 0;
    Nanoseconds end = 0;
    if (buffers_.take_request(&start, &end)) {
      const std::lock_guard guard(lock);
      if (selection.is_on(CUPTI_ACTIVITY_KIND_OVERHEAD, 0, start)) {
        add(overhead(start, end));
      }
    }
  }
}

void Collector::deliver_many() {
  const std::size_t count = added_.load(std::memory_order_relaxed);
  if (count == 0 || delivering || (count < kMany && buffers_.has_buffer())) {
    return;
  }
  const Delivering mine(*this, std::try_to_lock);
  if (mine.owns()) {
    write_out(false);
  }
}

void Collector::deliver() {
  if (!delivering) {
    const Delivering mine(*this);
    write_out(false);
  }
}

CUptiResult Collector::flush(Flush what) {
  if (!buffers_.serves() || delivering) {
    return CUPTI_ERROR_INVALID_OPERATION;
  }
  const Delivering mine(*this);
  write_out(what == Flush::kForced);
  write_out(what == Flush::kForced);  // what the former has added itself
  if (what == Flush::kForced || !buffers_.is_empty()) {
    buffers_.hand_back();
  }
  if (has_pending()) {
    buffers_.prepare();  // as CUPTI holds back the buffer of what has not ended
  }
  return CUPTI_SUCCESS;
}

CUptiResult Collector::serve(CUpti_BuffersCallbackRequestFunc request,
                             CUpti_BuffersCallbackCompleteFunc complete) {
  if (delivering) {
    return CUPTI_ERROR_INVALID_OPERATION;
  }
  const Delivering mine(*this);
  buffers_.serve(request, complete);
  clock_.compare(now());
  return CUPTI_SUCCESS;
}

CUptiResult Collector::use_clock(CUpti_TimestampCallbackFunc callback) {
  if (delivering) {
    return CUPTI_ERROR_INVALID_OPERATION;
  }
  const Delivering mine(*this);
  write_out(false);  // in the clock of their own time
  clock_.use(callback);
  return CUPTI_SUCCESS;
}

CUptiResult Collector::reset() {
  if (delivering) {
    return CUPTI_ERROR_INVALID_OPERATION;
  }
  const Delivering mine(*this);
  buffers_.serve(nullptr, nullptr);
  buffers_.take_dropped();
  clock_.use(nullptr);
  const std::lock_guard guard(lock);
  selection = Selection{};
  options = Options{};
  records_.clear();
  added_ = 0;
  return CUPTI_SUCCESS;
}

}  // namespace simgpu::cupti
