// What a batch's handle of flatout/data.h stands for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "data/device/device_buffers.h"
#include "data/feed/array_source.h"
#include "data/feed/engine.h"

namespace flatout::data::abi {

// One array of a batch in a device's memory.
struct DeviceArray {
  const char* name = "";
  const char* type = "";  // NumPy's name, or "bfloat16"
  std::size_t begin = 0;  // bytes from the buffer's address
  std::vector<std::int64_t> shape = {};
};

struct OpenLoader;

}  // namespace flatout::data::abi

struct flatout_batch {
  flatout::data::Batch made;  // on a device: without its memory
  std::vector<std::int64_t> labels;
  std::vector<float> targets;  // shares of classes, where the batch was mixed
  std::int64_t classes = 0;
  std::vector<flatout::data::ArrayPart> arrays;                 // of numbers that are no pictures
  std::shared_ptr<flatout::data::device::DeviceBuffer> buffer;  // null: in the host's memory
  std::vector<flatout::data::abi::DeviceArray> device_arrays;   // in it
};

namespace flatout::data::abi {

// The loader's next batch, in the host's memory; null at the end of the epoch.
base::Result<std::unique_ptr<flatout_batch>> make_batch(OpenLoader& open);

}  // namespace flatout::data::abi
