// Creates this process's ring file, or joins it where the process has one: made
// by another copy of this code in it, or before it called exec(). Called at the
// first event, so that programs that never train leave nothing behind.
#pragma once

#include <cstddef>

#include "wire/ring.h"

namespace flatout::inject {

struct RingFile {
  wire::RingWriter writer;     // empty when creation failed
  int error = 0;               // errno of the failing call
  const char* failed_at = "";  // "create", "join", "allocate", "map", "publish"
};

// `capacity` is a power of two. The file is allocated before it is mapped
// (a sparse map on a full disk would kill the writer with SIGBUS), filled
// under a dotted name and renamed, so a reader sees it whole or not at all.
// The mapping lives until the process ends. EBUSY: another copy is just making it.
RingFile create_ring(const char* directory, std::size_t capacity, wire::RingRole role,
                     int worker_id, int rank);

}  // namespace flatout::inject
