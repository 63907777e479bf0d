// Rows of Parquet files, read by a process outside (python/flatout/neptune_parquet.py, which says
// what the bytes are). One thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace flatout::trackers {

class ParquetRows {
 public:
  virtual ~ParquetRows() = default;
  // Asks for the rows of one run; what was left of the one before is dropped.
  virtual base::Result<void> ask(const std::vector<std::filesystem::path>& files) = 0;
  // As many bytes as there are, at most into.size(); 0 where the process has ended.
  virtual base::Result<std::size_t> read(std::span<char> into) = 0;
  // The answer was read to its end.
  virtual void done() = 0;
};

}  // namespace flatout::trackers
