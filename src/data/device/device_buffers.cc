#include "data/device/device_buffers.h"

#include <algorithm>
#include <string>
#include <utility>

namespace flatout::data::device {

using base::Result;

namespace {

// The per-thread default stream is another one for each thread, and who lets go may be another
// thread. The legacy default stream waits for all of them, so its events speak for them.
CudaStream marked_stream(CudaStream stream) {
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  const bool shared = number == 0 || number == kPerThreadStream;
  return shared ? reinterpret_cast<CudaStream>(kLegacyStream) : stream;
}

}  // namespace

DeviceBuffer::~DeviceBuffer() {
  if (!context_->here()) return;
  const CudaFunctions& f = context_->f();
  if (unknown_) (void)context_->call_code(f.synchronize);
  for (std::size_t i = 0; i < streams_; ++i)
    (void)context_->call_code(f.event_synchronize, uses_[i].done);
  for (const Use& use : uses_) (void)context_->call_code(f.event_destroy, use.done);
  if (ready_ != nullptr) {
    (void)context_->call_code(f.event_synchronize, ready_);
    (void)context_->call_code(f.event_destroy, ready_);
  }
  if (begun_ != nullptr) (void)context_->call_code(f.event_destroy, begun_);
  if (address_ != 0) (void)context_->call_code(f.free, address_);
}

Result<void> DeviceBuffer::allocate() {
  const CudaFunctions& f = context_->f();
  if (auto done = context_->call(f.allocate, &address_, bytes_); !done) {
    return base::fail(done.error().code, "no memory for a batch of " + std::to_string(bytes_) +
                                             " bytes on " + done.error().message +
                                             "; make the batch smaller, or hold fewer of them");
  }
  if (auto done = context_->call(f.event, &begun_, kEventDefault); !done) return done;
  return context_->call(f.event, &ready_, kEventDefault);
}

Result<void> DeviceBuffer::wait(CudaStream stream) {
  const std::scoped_lock lock(mutex_);
  const CudaFunctions& f = context_->f();
  if (auto done = context_->call(f.stream_wait, stream, ready_, 0U); !done) return done;
  const CudaStream marked = marked_stream(stream);
  const auto used = uses_.begin() + static_cast<std::ptrdiff_t>(streams_);
  if (std::any_of(uses_.begin(), used, [&](const Use& use) { return use.stream == marked; }))
    return {};
  if (used == uses_.end()) {
    Use use;
    if (auto done = context_->call(f.event, &use.done, kEventDisableTiming); !done) return done;
    uses_.push_back(use);
  }
  uses_[streams_++].stream = marked;
  return {};
}

void DeviceBuffer::used_by_unknown() {
  const std::scoped_lock lock(mutex_);
  unknown_ = true;
}

void DeviceBuffer::mark_uses() {
  for (std::size_t i = 0; i < streams_; ++i) {
    const CudaCode code = context_->call_code(context_->f().record, uses_[i].done, uses_[i].stream);
    if (code != CudaCode::kSuccess) unknown_ = true;
  }
}

Result<void> DeviceBuffer::follow(CudaStream copies) {
  const CudaFunctions& f = context_->f();
  if (unknown_) {
    if (auto done = context_->call(f.synchronize); !done) return done;
  }
  for (std::size_t i = 0; i < streams_ && !unknown_; ++i) {
    if (auto done = context_->call(f.stream_wait, copies, uses_[i].done, 0U); !done) return done;
  }
  unknown_ = false;
  streams_ = 0;
  return {};
}

struct DeviceBuffers::Shelf {
  Shelf(std::shared_ptr<const DeviceContext> of, std::size_t size, std::size_t kept)
      : context(std::move(of)), bytes(size), keep(kept) {
    free.reserve(keep);
  }

  void give_back(DeviceBuffer* given) {
    std::unique_ptr<DeviceBuffer> buffer(given);
    if (!context->here()) {
      (void)buffer.release();  // of the parent of this fork
      return;
    }
    buffer->mark_uses();
    const std::scoped_lock lock(mutex);
    if (free.size() < keep) free.push_back(std::move(buffer));  // room was reserved
  }

  const std::shared_ptr<const DeviceContext> context;
  const std::size_t bytes;
  std::mutex mutex;
  std::size_t keep;
  std::vector<std::unique_ptr<DeviceBuffer>> free;
};

DeviceBuffers::DeviceBuffers(std::shared_ptr<const DeviceContext> context, std::size_t bytes,
                             std::size_t keep)
    : shelf_(std::make_shared<Shelf>(std::move(context), std::max<std::size_t>(bytes, 1), keep)) {}

DeviceBuffers::~DeviceBuffers() {
  std::vector<std::unique_ptr<DeviceBuffer>> last;
  const std::scoped_lock lock(shelf_->mutex);
  shelf_->keep = 0;
  last.swap(shelf_->free);
}

Result<std::shared_ptr<DeviceBuffer>> DeviceBuffers::take(CudaStream copies) {
  std::unique_ptr<DeviceBuffer> buffer;
  {
    const std::scoped_lock lock(shelf_->mutex);
    if (!shelf_->free.empty()) {  // the one that was let go first: its uses are the oldest
      buffer = std::move(shelf_->free.front());
      shelf_->free.erase(shelf_->free.begin());
    }
  }
  if (buffer == nullptr) {
    buffer = std::make_unique<DeviceBuffer>(shelf_->context, shelf_->bytes);
    if (auto done = buffer->allocate(); !done) return std::unexpected(done.error());
  }
  if (auto done = buffer->follow(copies); !done) return std::unexpected(done.error());
  return std::shared_ptr<DeviceBuffer>(
      buffer.release(), [shelf = shelf_](DeviceBuffer* given) { shelf->give_back(given); });
}

}  // namespace flatout::data::device
