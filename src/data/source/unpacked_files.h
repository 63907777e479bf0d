// A folder on a disk of this machine in which compressed files lie unpacked, so that they can be
// read from any place: each is decompressed once, by whichever loader comes first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace flatout::data {

struct UnpackOptions {
  std::string folder;            // "": compressed files are refused
  std::uint64_t disk_bytes = 0;  // that all files in it may have together
  int threads = 1;
};

// A file may become so many times as large as it was, and 64 MiB more; what goes beyond is made to
// fill disks.
constexpr std::uint64_t kMostUnpackRatio = 200;

// For each path the one to read in its place: itself where it is not compressed, else an unpacked
// copy in the folder, which is made first where there is none of this file as it is now (by path,
// size and time). Several threads and processes may do this at once: each file is unpacked by one
// of them, and the others wait. Copies of the same path as it was before are removed; copies of
// other files stay. The folder is made for its owner alone where it is missing; whoever can write
// it decides what samples are.
//
// Errors name the file: kInvalid where it has to be unpacked and no folder is given, or is
// compressed with something else than gzip and Zstandard; kCorrupt, kIo as CompressedFile gives
// them, and for a full disk; kTooLarge where the folder or the ratio does not suffice. What was
// half written is then gone.
base::Result<std::vector<std::string>> unpacked_files(const std::vector<std::string>& paths,
                                                      const UnpackOptions& options);

}  // namespace flatout::data
