// A loader whose batches go to a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/device/device_context.h"
#include "data/device/device_ring.h"
#include "data/open/ready_batch.h"

namespace flatout::data {

struct OpenLoader;

// A batch whose copy has begun, an error in place of one, or the epoch's end (null).
struct SentBatch {
  base::Result<std::unique_ptr<ReadyBatch>> batch;
  std::int64_t drawn = 0;  // of the epoch, up to and with it
};

struct LoaderDevice {
  std::shared_ptr<const device::DeviceContext> context;
  std::unique_ptr<device::DeviceRing> ring;
  std::size_t sample_bytes = 0;  // of one sample in the host's memory, at most
  bool makes_numbers = false;    // pixels become numbers there
  std::string why_not;           // where that was wanted and is not so
  std::deque<SentBatch> sent = {};
  std::optional<std::int64_t> drawn = {};  // with the batches that were handed over

  // For an epoch that begins: what was sent of the one before is let go.
  void begin() {
    sent.clear();
    drawn.reset();
  }
};

// Batches go there from now on; "cpu" changes nothing. Before the first epoch. kUnavailable, with
// what is missing, where the device is not available; the loader is then as it was.
base::Result<void> to_device(OpenLoader& open, std::string_view name);

// The next batch of a loader with a device, its copy begun, and that of the one behind it as well
// if it is made already; null at the end of the epoch.
base::Result<std::unique_ptr<ReadyBatch>> next_on_device(OpenLoader& open);

}  // namespace flatout::data
