// A working directory that a program may write to without changing it: a copy.
// Absolute paths into the original are not covered. One thread.
//
// Copied: folders, regular files (as reflinks where the file system has them),
// links, modes, times; owners where we may. Not copied: sockets, FIFOs, devices,
// extended attributes, what the user may not read, file systems without a disk or
// memory of their own (procfs, sysfs). Hard links become files of
// their own. A link that leaves the folder goes on meaning what it meant, one that
// comes back into the original leads into the copy instead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "workspace/changes.h"

namespace flatout::workspace {

struct CopyLimits {
  std::uint64_t bytes = 2ULL << 30;            // of regular files
  std::size_t entries = 200'000;               // of all kinds
  base::DurationNs time = 60 * base::kSecond;  // to count and to copy
};

class TreeCopy {
 public:
  // `from` is absolute and holds no links; `to` does not exist, lies outside
  // `from`, and is removed again on an error. Each of `keep`, strictly below `from`,
  // becomes a link to itself. kTooLarge over a limit, with the largest part of it named;
  // kIo when the disk refuses or is too full.
  static base::Result<TreeCopy> make(const std::filesystem::path& from,
                                     const std::filesystem::path& to,
                                     std::vector<std::filesystem::path> keep,
                                     const CopyLimits& limits, const base::Clock& clock);

  const std::filesystem::path& dir() const { return to_; }
  std::size_t left_out() const { return left_out_; }  // sockets and what is unreadable

  // Against the state of the copy when it was made, by inode, size and time of
  // the last change. Call both when no process of the program is left.
  base::Result<Changes> changed(std::size_t limit) const;
  // Brings back what was changed, from the original as it is now.
  base::Result<void> restore();

 private:
  struct Stamp {
    std::uint64_t inode = 0, size = 0, mode = 0;
    std::int64_t changed_ns = 0, modified_ns = 0;
  };
  TreeCopy(std::filesystem::path from, std::filesystem::path to,
           std::vector<std::filesystem::path> keep)
      : from_(std::move(from)), to_(std::move(to)), keep_(std::move(keep)) {}
  void find_unreal();

  base::Result<void> count(const CopyLimits& limits, const base::Clock& clock,
                           base::TimeNs deadline);
  base::Result<void> copy_all(const base::Clock& clock, base::TimeNs deadline);
  base::Result<bool> copy_one(const std::filesystem::path& relative);
  base::Result<void> finish_folders();
  std::vector<Change> compare() const;
  bool kept(const std::filesystem::path& relative) const;
  bool unreal(const std::filesystem::path& relative) const;
  static bool differs(const Stamp& before, const Stamp& now);
  static Stamp stamp_of(const std::filesystem::path& path);  // mode 0 = not there

  std::filesystem::path from_, to_;
  std::vector<std::filesystem::path> keep_;
  std::vector<std::filesystem::path> unreal_;       // mounted below, not to be read
  std::map<std::filesystem::path, Stamp> entries_;  // by relative path, parents first
  std::size_t left_out_ = 0;
};

// What the link `target`, found in the folder `from`/`at`, has to say in a copy at
// `to`. Pure; by the names alone.
std::filesystem::path copied_link(const std::filesystem::path& target,
                                  const std::filesystem::path& at,
                                  const std::filesystem::path& from,
                                  const std::filesystem::path& to);

// Copies the content and the mode of one regular file to a new one. kUnavailable
// when it cannot be read, kIo when it cannot be written.
base::Result<void> copy_regular(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace flatout::workspace
