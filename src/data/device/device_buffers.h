// Memory of batches on a device: taken for one batch, and used again behind whatever the program's
// streams still do with it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "data/device/device_context.h"

namespace flatout::data::device {

// One batch's. Its copy is `ready` when that event is done.
class DeviceBuffer {
 public:
  DeviceBuffer(std::shared_ptr<const DeviceContext> context, std::size_t bytes)
      : context_(std::move(context)), bytes_(bytes) {}
  ~DeviceBuffer();  // waits until nothing uses it any more
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  DeviceAddress address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  const DeviceContext& context() const { return *context_; }
  CudaEvent begun() const { return begun_; }
  CudaEvent ready() const { return ready_; }

  // What `stream` is given from now on comes behind the copy, and the memory is used again only
  // behind what it was given before the buffer was let go. The host does not wait. Any thread.
  base::Result<void> wait(CudaStream stream);

  // Streams that nobody named use it: it is used again when the whole device has come to rest.
  void used_by_unknown();

 private:
  friend class DeviceBuffers;
  struct Use {
    CudaStream stream = nullptr;
    CudaEvent done = nullptr;  // kept for later uses
  };
  base::Result<void> allocate();
  void mark_uses();  // each stream's work up to now
  base::Result<void> follow(CudaStream copies);

  std::shared_ptr<const DeviceContext> context_;
  std::size_t bytes_;
  DeviceAddress address_ = 0;
  CudaEvent begun_ = nullptr;
  CudaEvent ready_ = nullptr;
  std::mutex mutex_;
  std::vector<Use> uses_;
  std::size_t streams_ = 0;  // of uses_, those of the batch that it holds now
  bool unknown_ = false;
};

// Any thread may let a buffer go, also after the pool itself; one takes.
class DeviceBuffers {
 public:
  // Of `bytes` each. `keep`: how many that were let go stay for the next batches.
  DeviceBuffers(std::shared_ptr<const DeviceContext> context, std::size_t bytes, std::size_t keep);
  ~DeviceBuffers();
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;

  // What `copies` is given from now on comes behind all that used the memory before.
  base::Result<std::shared_ptr<DeviceBuffer>> take(CudaStream copies);

 private:
  struct Shelf;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace flatout::data::device
