#include "data/source/file_part.h"

#include <unistd.h>

#include <cerrno>

namespace flatout::data {

base::Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> room,
                                  const std::string& path) {
  std::size_t done = 0;
  while (done < room.size()) {
    const ssize_t got =
        ::pread(fd, room.data() + done, room.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::fail_errno(errno, path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace flatout::data
