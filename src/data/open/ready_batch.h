// A batch as it is handed to the program: samples, labels, and where its arrays lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "data/device/device_buffers.h"
#include "data/feed/array_source.h"
#include "data/feed/engine.h"

namespace flatout::data {

// One array of a batch in a device's memory.
struct DeviceArray {
  const char* name = "";
  const char* type = "";  // NumPy's name, or "bfloat16"
  std::size_t begin = 0;  // bytes from the buffer's address
  std::vector<std::int64_t> shape = {};
};

struct ReadyBatch {
  Batch made = {};  // on a device: without its memory
  std::vector<std::int64_t> labels = {};
  std::vector<float> targets = {};  // shares of classes, where the batch was mixed
  std::int64_t classes = 0;
  std::vector<ArrayPart> arrays = {};                 // of numbers that are no pictures
  std::shared_ptr<device::DeviceBuffer> buffer = {};  // null: in the host's memory
  std::vector<DeviceArray> device_arrays = {};        // in it
};

struct OpenLoader;

// The loader's next batch, in the host's memory; null at the end of the epoch.
base::Result<std::unique_ptr<ReadyBatch>> next_on_host(OpenLoader& open);

}  // namespace flatout::data
