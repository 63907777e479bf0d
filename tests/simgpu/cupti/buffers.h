// The client's buffers: asked for when there is something to write, handed back when full
// (CUPTI documentation, "Activity API", CUpti_BuffersCallbackRequestFunc and
// CUpti_BuffersCallbackCompleteFunc). By one thread at a time.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>

#include "cupti/record.h"

namespace simgpu::cupti {

class Buffers {
 public:
  // What the former client still has to get goes to it first.
  void serve(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
  bool serves() const { return request_.load() != nullptr; }

  void put(const Record& record, const ClientClock& clock);
  // Asks for a buffer, where there is none: CUPTI does so when an activity begins, not only when
  // its record is complete, and PyTorch's profiler flushes nothing where no buffer was asked for.
  void prepare();
  bool has_buffer() const { return buffer_.load() != nullptr; }
  void hand_back();
  bool is_empty() const { return used_ == 0; }

  std::size_t take_dropped() { return dropped_.exchange(0); }
  // How long the last request took, where the last put() made one; none otherwise.
  bool take_request(Nanoseconds* start, Nanoseconds* end);

  bool may_zero = true;  // CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER is 0

 private:
  bool request(std::size_t bytes);

  std::atomic<CUpti_BuffersCallbackRequestFunc> request_{nullptr};
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
  std::atomic<std::uint8_t*> buffer_{nullptr};
  std::size_t size_ = 0, used_ = 0, records_ = 0, most_records_ = 0;
  std::atomic<std::size_t> dropped_{0};
  Nanoseconds request_start_ = 0, request_end_ = 0;
};

}  // namespace simgpu::cupti
