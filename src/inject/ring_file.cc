#include "inject/ring_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

namespace flatout::inject {
namespace {

// Field 22 of /proc/self/stat; 0 when it cannot be read. See base/process.cc,
// which this file may not use: nothing of libstdc++ is linked in here.
std::uint64_t own_start_ticks() {
  const int fd = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (n <= 0) return 0;
  text[n] = '\0';
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

RingFile failure(const char* where, int error) { return {{}, error, where}; }

struct Names {
  char temporary[512];
  char final_name[512];
};

bool make_names(Names& names, const char* directory, int pid, std::uint64_t start) {
  const auto ticks = static_cast<unsigned long long>(start);
  const int longest = std::snprintf(names.temporary, sizeof names.temporary, "%s/.ring.%d.%llu",
                                    directory, pid, ticks);
  std::snprintf(names.final_name, sizeof names.final_name, "%s/ring.%d.%llu", directory, pid,
                ticks);
  return longest > 0 && longest < static_cast<int>(sizeof names.temporary);
}

RingFile writer_of(void* map) {
  return {wire::RingWriter(static_cast<wire::RingHeader*>(map),
                           static_cast<unsigned char*>(map) + wire::kRingHeaderBytes),
          0, ""};
}

bool is_ring_of(const wire::RingHeader& header, off_t bytes, int pid, std::uint64_t start) {
  return std::memcmp(header.magic, wire::kRingMagic, sizeof header.magic) == 0 &&
         header.version == wire::kWireVersion && header.pid == pid && header.start_ticks == start &&
         header.capacity <= wire::kMaxRingBytes &&
         static_cast<off_t>(wire::kRingHeaderBytes + header.capacity) == bytes;
}

// The ring that this process has already. `error` is ENOENT where it has none.
RingFile join_ring(const Names& names, int pid, std::uint64_t start) {
  const int fd = ::open(names.final_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return failure("join", errno);
  struct stat st{};
  if (::fstat(fd, &st) != 0 || st.st_size < static_cast<off_t>(wire::kRingHeaderBytes)) {
    ::close(fd);
    return failure("join", EINVAL);
  }
  const auto total = static_cast<std::size_t>(st.st_size);
  void* map = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int map_error = errno;
  ::close(fd);
  if (map == MAP_FAILED) return failure("join", map_error);
  if (!is_ring_of(*static_cast<wire::RingHeader*>(map), st.st_size, pid, start)) {
    ::munmap(map, total);
    return failure("join", EINVAL);
  }
  ::madvise(map, total, MADV_DONTFORK);
  return writer_of(map);
}

// What the hooks know of a loader worker, also where another copy came first.
RingFile joined_as(RingFile ring, wire::RingRole role, int worker_id) {
  if (ring.writer && role == wire::RingRole::kWorker) {
    ring.writer.header()->worker_id = worker_id;
    __atomic_store_n(&ring.writer.header()->role, static_cast<std::uint32_t>(role),
                     __ATOMIC_RELEASE);
  }
  return ring;
}

}  // namespace

RingFile create_ring(const char* directory, std::size_t capacity, wire::RingRole role,
                     int worker_id, int rank) {
  const std::uint64_t start = own_start_ticks();
  const int pid = static_cast<int>(::getpid());
  Names names{};
  if (!make_names(names, directory, pid, start)) return failure("create", ENAMETOOLONG);

  const int fd = ::open(names.temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const int create_error = errno;
  // Whoever holds the temporary file is the only one to make the ring.
  const RingFile known = joined_as(join_ring(names, pid, start), role, worker_id);
  if (known.writer || known.error != ENOENT) {
    if (fd >= 0) {
      ::close(fd);
      ::unlink(names.temporary);
    }
    return known;
  }
  if (fd < 0) return failure("create", create_error == EEXIST ? EBUSY : create_error);
  const std::size_t total = wire::kRingHeaderBytes + capacity;
  if (const int err = ::posix_fallocate(fd, 0, static_cast<off_t>(total)); err != 0) {
    ::close(fd);
    ::unlink(names.temporary);
    return failure("allocate", err);
  }
  void* map = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int map_error = errno;
  ::close(fd);
  if (map == MAP_FAILED) {
    ::unlink(names.temporary);
    return failure("map", map_error);
  }
  // A child made by fork() without exec must not write into its parent's ring.
  ::madvise(map, total, MADV_DONTFORK);

  auto* header = new (map) wire::RingHeader;
  std::memcpy(header->magic, wire::kRingMagic, sizeof header->magic);
  header->version = wire::kWireVersion;
  header->role = static_cast<std::uint32_t>(role);
  header->capacity = capacity;
  header->pid = pid;
  header->parent_pid = static_cast<std::int32_t>(::getppid());
  header->start_ticks = start;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  header->created_ns = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  header->worker_id = worker_id;
  header->rank = rank;
  header->head.store(0);
  header->tail.store(0);
  header->dropped.store(0);
  header->written.store(0);
  if (::rename(names.temporary, names.final_name) != 0) {
    const int err = errno;
    ::munmap(map, total);
    ::unlink(names.temporary);
    return failure("publish", err);
  }
  return writer_of(map);
}

}  // namespace flatout::inject
