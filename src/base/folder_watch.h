// Waits until something changes in folders, by inotify. A hint alone: on a network file system what
// another machine writes is not seen, and where the system grants no more watches nothing is; so
// whoever waits gives a longest time, and looks then. One thread.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/file.h"
#include "base/time.h"

namespace flatout::base {

enum class FolderChange : std::uint8_t {
  kEntries,   // files appear, go or are renamed
  kContents,  // that, and what is in them
};

class FolderWatch {
 public:
  FolderWatch();

  // False: not watched, since it is not there or the system grants no watch.
  bool add(const std::filesystem::path& folder, FolderChange change);

  enum class Woken : std::uint8_t { kChange, kTime, kReaderGone };
  // Until something changed since the last call, or `longest` is over. `output`: a descriptor that
  // somebody reads; when its other end is closed, kReaderGone. Signals go on waiting.
  Woken wait(DurationNs longest, int output);

 private:
  UniqueFd fd_;
};

}  // namespace flatout::base
