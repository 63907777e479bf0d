// How records reach the client: CUPTI documentation, "Activity API",
// cuptiActivityRegisterCallbacks, cuptiActivityFlushAll, cuptiActivityFlushPeriod,
// cuptiActivityGetNextRecord.
#include <cupti.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "cupti/collector.h"
#include "cupti/subscriber.h"
#include "cupti/watch.h"

namespace {

using simgpu::cupti::Collector;
using simgpu::cupti::collector;

std::atomic<std::uint32_t> period_ms{0};
std::atomic<std::uint32_t> periods{0};  // changes end the thread of the one before

// Only the thread of the last period goes on.
void deliver_every(std::uint32_t own) {
  while (periods.load() == own) {
    std::this_thread::sleep_for(std::chrono::milliseconds(period_ms.load()));
    if (periods.load() == own) {
      collector().deliver();
    }
  }
}

}  // namespace

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (request == nullptr || complete == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  simgpu::cupti::watch();
  return collector().serve(request, complete);
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  return collector().flush((flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0
                               ? Collector::Flush::kForced
                               : Collector::Flush::kCompleted);
}

// "CONTEXT and STREAMID will be ignored."
CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) {
  return cuptiActivityFlushAll(flag);
}

CUptiResult cuptiActivityFlushPeriod(uint32_t time) {
  period_ms = time;
  const std::uint32_t own = ++periods;
  if (time != 0) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's signals stay its own
    std::thread(deliver_every, own).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (dropped == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *dropped = collector().take_dropped();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  std::uint8_t* next = buffer;
  if (*record != nullptr) {
    auto* const last = reinterpret_cast<std::uint8_t*>(*record);
    next = last + simgpu::cupti::bytes_of((*record)->kind);
  }
  if (next >= buffer + valid) {
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  }
  auto* const found = reinterpret_cast<CUpti_Activity*>(next);
  const std::size_t bytes = simgpu::cupti::bytes_of(found->kind);
  if (bytes == 0 || next + bytes > buffer + valid) {
    return CUPTI_ERROR_INVALID_KIND;
  }
  *record = found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback) {
  return callback == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : collector().use_clock(callback);
}

CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  if (timestamp == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *timestamp = collector().client_time();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize() {
  simgpu::cupti::end_subscription();
  ++periods;
  return collector().reset();
}
}
