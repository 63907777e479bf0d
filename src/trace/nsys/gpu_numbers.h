// Which GPU of the machine a device of a process is: each process counts those that it sees.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "trace/nsys/sqlite_file.h"
#include "trace/trace_parts.h"

namespace flatout::trace {

class GpuNumbers {
 public:
  // From TARGET_INFO_CUDA_DEVICE(pid, cudaId, gpuId), where the file has it. Why not all of it was
  // read, "" = it was.
  std::string read(SqliteFile& file);

  // The machine's number of a process's device; the process's own where the file does not tell.
  std::uint16_t of(pid_t pid, std::uint16_t device) const;

 private:
  std::map<std::pair<pid_t, std::uint16_t>, std::uint16_t> gpus_;
  // Of a process that the table does not name: what all others call so; absent where they differ.
  std::map<std::uint16_t, std::optional<std::uint16_t>> agreed_;
};

// Adds what TARGET_INFO_GPU says of each GPU. As GpuNumbers::read.
std::string read_gpus(SqliteFile& file, TraceParts& parts);

}  // namespace flatout::trace
