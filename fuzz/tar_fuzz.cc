// Any bytes as a tar file of samples: every sample that is told lies within the file and can be
// read.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "data/source/tar_shards.h"

namespace {

using flatout::data::ReadBuffer;
using flatout::data::TarShards;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("tar", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, 0) != 0) std::abort();
  if (::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  const auto shards = TarShards::open({"/proc/self/fd/" + std::to_string(file)});
  if (!shards) return 0;
  ReadBuffer buffer;
  for (std::int64_t index = 0; index < (*shards)->size(); ++index) {
    const auto bytes = (*shards)->read(index, buffer);
    if (bytes && bytes->size() > size) std::abort();
    // An empty member is an error; one beyond the end of the file must not have been told.
    if (!bytes && bytes.error().code != flatout::base::ErrorCode::kCorrupt) std::abort();
  }
  return 0;
}
