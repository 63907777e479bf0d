#include "cupti/buffers.h"

#include <cstring>

namespace simgpu::cupti {

void Buffers::serve(CUpti_BuffersCallbackRequestFunc request,
                    CUpti_BuffersCallbackCompleteFunc complete) {
  hand_back();
  request_ = request;
  complete_ = complete;
}

bool Buffers::request(std::size_t bytes) {
  const CUpti_BuffersCallbackRequestFunc asked = request_.load();
  if (asked == nullptr) {
    return false;
  }
  request_start_ = now();
  buffer_ = nullptr;
  size_ = used_ = records_ = most_records_ = 0;
  asked(&buffer_, &size_, &most_records_);
  request_end_ = now();
  if (buffer_ != nullptr && size_ < bytes) {
    complete_(nullptr, 0, buffer_, size_, 0);  // too small for any use: it stays the client's
    buffer_ = nullptr;
  }
  if (buffer_ != nullptr && may_zero) {
    std::memset(buffer_, 0, size_);
  }
  return buffer_ != nullptr;
}

void Buffers::put(const Record& record, const ClientClock& clock) {
  const std::size_t bytes = bytes_of(kind_of(record));
  if (buffer_ != nullptr && used_ + bytes > size_) {
    hand_back();
  }
  if (buffer_ == nullptr && !request(bytes)) {
    ++dropped_;
    return;
  }
  write(record, clock, buffer_ + used_);
  used_ += bytes;
  if (++records_ == most_records_) {
    hand_back();
  }
}

void Buffers::hand_back() {
  if (buffer_ == nullptr) {
    return;
  }
  std::uint8_t* const full = buffer_;
  buffer_ = nullptr;
  complete_(nullptr, 0, full, size_, used_);
}

bool Buffers::take_request(Nanoseconds* start, Nanoseconds* end) {
  *start = request_start_;
  *end = request_end_;
  request_end_ = 0;
  return *end != 0;
}

}  // namespace simgpu::cupti
