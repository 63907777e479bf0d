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
  std::uint8_t* given = nullptr;
  size_ = used_ = records_ = most_records_ = 0;
  request_start_ = now();
  asked(&given, &size_, &most_records_);
  request_end_ = now();
  if (given != nullptr && size_ < bytes) {
    complete_(nullptr, 0, given, size_, 0);  // too small for any use: it stays the client's
    given = nullptr;
  }
  if (given != nullptr && may_zero) {
    std::memset(given, 0, size_);
  }
  buffer_ = given;
  return given != nullptr;
}

void Buffers::prepare() {
  if (!has_buffer()) {
    request(1);
  }
}

void Buffers::put(const Record& record, const ClientClock& clock) {
  const std::size_t bytes = bytes_of(kind_of(record));
  if (has_buffer() && used_ + bytes > size_) {
    hand_back();
  }
  if (!has_buffer() && !request(bytes)) {
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
  if (std::uint8_t* const full = buffer_.exchange(nullptr); full != nullptr) {
    complete_(nullptr, 0, full, size_, used_);
  }
}

bool Buffers::take_request(Nanoseconds* start, Nanoseconds* end) {
  *start = request_start_;
  *end = request_end_;
  request_end_ = 0;
  return *end != 0;
}

}  // namespace simgpu::cupti
