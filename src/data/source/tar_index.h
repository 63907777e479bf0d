// What lies where in a tar file: ustar and old headers (POSIX.1-1988), pax records of a member
// (POSIX.1-2001: path, size) and GNU's long names and sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace flatout::data {

struct TarMember {
  // A link has no bytes of its own; those of a sparse file (GNU's, in its headers or in pax
  // records) lie in the tar without its holes, so not as a reader of the file would see them.
  enum class Kind : std::uint8_t { kFile, kLink, kSparse };

  std::string name;
  std::uint64_t offset = 0;  // of its first byte in the tar file
  std::uint64_t size = 0;
  Kind kind = Kind::kFile;
};

// Calls `each` for every file and link in the tar, in order, until that gives an error, which is
// passed on. Reads headers only, not what is between them. Memory: a member's name (64 KiB at
// most). kCorrupt, with the place, where a header is none or the file ends within a member;
// kInvalid for what is no regular file. A tar without its end marker is taken as it is: writers
// that were stopped leave such.
// `name`: how errors call it, where it is a copy of another file; "" for its path.
base::Result<void> read_tar_index(
    const std::string& path,
    const std::function<base::Result<void>(int fd, const TarMember&)>& each,
    const std::string& name = "");

}  // namespace flatout::data
