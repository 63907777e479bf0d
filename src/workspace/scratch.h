// A scratch folder that lives as long as its owner: removed at the end, and by a
// later flatout where the owner was killed. Any thread; one owner a folder.
#pragma once

#include <cstddef>
#include <filesystem>

#include "base/file.h"
#include "base/result.h"

namespace flatout::workspace {

class Scratch {
 public:
  // Creates <root>/flatout-<uid>-trial-<pid>-<start ticks>-<n>, mode 0700.
  static base::Result<Scratch> create(const std::filesystem::path& root);
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();  // removes it with all that is in it

  const std::filesystem::path& dir() const { return dir_; }

 private:
  Scratch(std::filesystem::path dir, base::UniqueFd lock)
      : dir_(std::move(dir)), lock_(std::move(lock)) {}
  std::filesystem::path dir_;
  base::UniqueFd lock_;  // held as long as the owner lives, whatever kills it
};

// Removes what dead owners left in `root` and gives how many. An owner is dead
// when no such process exists and nobody holds the folder's lock: a pid says
// nothing of an owner in another PID namespace that shares the root.
std::size_t sweep_scratch(const std::filesystem::path& root,
                          const std::filesystem::path& proc = "/proc");

// Removes a file or a tree, also what is read-only or may not be entered. Follows
// no link and leaves mounted file systems alone (kIo). One that is gone is no error.
base::Result<void> remove_tree(const std::filesystem::path& path);

}  // namespace flatout::workspace
