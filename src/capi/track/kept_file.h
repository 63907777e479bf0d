// A file that a tracked run keeps: <folder>/<SHA-256>.<ext>, each once, whole or not at all. Any
// thread; allocates, and blocks for as long as the disk does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flatout::capi {

struct KeptFile {
  char name[96] = "";  // under the folder
  std::int64_t bytes = 0;
  int error = 0;  // an errno; then nothing is left of it
};

// Copies a regular file of at most 16 GiB; its ending becomes that of the name. EINVAL for what is
// no regular file, EFBIG for a larger one.
KeptFile keep_file(const char* folder, const char* path);
// Writes a text, with ".json".
KeptFile keep_json(const char* folder, const char* text, std::size_t bytes);

}  // namespace flatout::capi
