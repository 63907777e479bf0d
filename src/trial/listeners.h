// Folders of sockets that a trial's dead processes left behind. One thread.
//
// A worker of a DataLoader hands tensors over by file descriptors, for which Python's
// multiprocessing/resource_sharer.py listens on "<temporary
// folder>/pymp-<random>/listener-<random>". A worker that ends by itself removes both; one that is
// killed at the end of a trial cannot.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace flatout::trial {

class TrialListeners {
 public:
  explicit TrialListeners(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

  // Remembers on which of such sockets these processes of the trial listen now; about a
  // millisecond a process.
  void look(std::span<const pid_t> living);

  // After the trial's end: removes the sockets that are still there, and their folders where
  // nothing else is in them. The names of the folders that are gone.
  std::vector<std::string> remove() const;

 private:
  std::filesystem::path proc_;
  std::set<std::filesystem::path> sockets_;
};

}  // namespace flatout::trial
