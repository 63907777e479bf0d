// POSIX shared memory that a trial's dead processes left behind. One thread.
//
// Whose a segment is: PyTorch names its own "torch_<pid of the maker>_<random>_<n>"
// (NewProcessWideShmHandle of ATen/MapAllocator.cpp). Python's "psm_<random>"
// (multiprocessing/shared_memory.py) and NCCL's "nccl-<random>" (misc/shmutils.cc)
// name nobody: they count as a trial's only where one of its processes was seen to
// map them. Python's own resource tracker, which outlives its process, usually
// removes the former first.
//
// Never removed: what any living process maps or holds open, what another user owns,
// what was there before the trial, names that are none of these.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace flatout::trial {

struct SharedMemoryPaths {
  std::filesystem::path shm = "/dev/shm";
  std::filesystem::path proc = "/proc";
};

class TrialSharedMemory {
 public:
  // `started`: segments that changed last before it are not the trial's.
  explicit TrialSharedMemory(base::WallNs started, SharedMemoryPaths paths = {})
      : started_(started), paths_(std::move(paths)) {}

  // Remembers what these processes of the trial map now. About a millisecond a
  // process: once when the steps begin, and when the trial begins to end.
  void look(std::span<const pid_t> living);

  // Removes the segments of the trial, after its end; `pids` are all that it ever had. Those
  // of them that live keep theirs. The names of what was removed.
  std::vector<std::string> remove(const std::set<pid_t>& pids) const;

 private:
  base::WallNs started_;
  SharedMemoryPaths paths_;
  std::set<std::string> mapped_;  // by processes of the trial
};

}  // namespace flatout::trial
