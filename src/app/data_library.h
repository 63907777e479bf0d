// libflatout_data.so, opened when it is asked for: flatout itself runs without it.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "flatout/data.h"

namespace flatout::app {

// The calls of flatout/data.h that flatout makes. Stays open until the process ends.
struct DataLibrary {
  decltype(&flatout_data_error) error = nullptr;
  decltype(&flatout_loader_open) open = nullptr;
  decltype(&flatout_loader_open_files) open_files = nullptr;
  decltype(&flatout_loader_open_blobs) open_blobs = nullptr;
  decltype(&flatout_loader_close) close = nullptr;
  decltype(&flatout_loader_samples) samples = nullptr;
  decltype(&flatout_loader_begin) begin = nullptr;
  decltype(&flatout_loader_next) next = nullptr;
  decltype(&flatout_loader_stats) stats = nullptr;
  decltype(&flatout_batch_size) batch_size = nullptr;
  decltype(&flatout_batch_free) batch_free = nullptr;
  decltype(&flatout_pack) pack = nullptr;
};

// FLATOUT_DATA_LIBRARY where it is set, else lib/ beside the folder of `exe`. kNotFound with the
// path and the linker's reason.
base::Result<DataLibrary> open_data_library(const std::filesystem::path& exe = "/proc/self/exe");

}  // namespace flatout::app
