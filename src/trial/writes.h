// What a trial writes where it lasts: told by the hooks (inject/write_watch.h) of each
// Python process of the trial, path by path. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "launch/plan.h"

namespace flatout::trial {

// What is not listed, and what is listed all the same; absolute folders. The folder
// that lies deepest decides.
struct WriteRules {
  std::vector<std::filesystem::path> unlisted = {};
  std::vector<std::filesystem::path> listed = {};
  std::filesystem::path divert = {};  // takes checkpoints that would last; "" = they last
};

// Variables for the processes of a trial that report their writes in `file`. What
// the kernel makes up and temporary folders (/tmp, /var/tmp, $TMPDIR) are not listed
// either. A path that holds a newline is left out.
launch::Environment write_environment(std::span<const std::string> env,
                                      const std::filesystem::path& file, const WriteRules& rules);

// Paths that were written over all trials, each once.
class OutsideWrites {
 public:
  // Reads and forgets `file`, which need not be there.
  void take(const std::filesystem::path& file);
  // Sorted. Compiled modules that Python keeps (__pycache__) do not count.
  std::vector<std::string> paths() const;

 private:
  std::set<std::string> paths_;
};

}  // namespace flatout::trial
