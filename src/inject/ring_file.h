// Creates this process's ring, or joins it where the process has one: made
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

struct RingSize {
  std::size_t bytes = 0;  // of records, a power of two
  bool segment = false;   // shared memory, where the system grants it (wire/ring_segment.h)
  bool exact = false;     // also where a file of so many bytes takes much of what is free
};

// A segment, else a file. The file is made smaller where the disk has little room,
// allocated before it is mapped (a sparse map on a full disk would kill the writer
// with SIGBUS), filled under a dotted name and renamed, so a reader sees it whole
// or not at all. The mapping lives until the process ends. Sends the program no
// signal: beyond its file size limit the error is EFBIG. EBUSY: another copy is
// just making it.
RingFile create_ring(const char* directory, const RingSize& size, wire::RingRole role,
                     int worker_id, int rank);

}  // namespace flatout::inject
