#include "inject/ring_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/kernel_clock.h"
#include "wire/ring_segment.h"

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

struct Maker {
  wire::RingRole role;
  int worker_id;
  int rank;
  int pid;
  std::uint64_t start_ticks;
};

struct Names {
  char temporary[512];
  char final_name[512];
};

// A kernel trace has a ring beside the process's other one, which nobody takes for it.
bool make_names(Names& names, const char* directory, const Maker& maker) {
  const auto ticks = static_cast<unsigned long long>(maker.start_ticks);
  const char* const suffix = maker.role == wire::RingRole::kTrace ? ".trace" : "";
  const int longest = std::snprintf(names.temporary, sizeof names.temporary, "%s/.ring.%d.%llu%s",
                                    directory, maker.pid, ticks, suffix);
  std::snprintf(names.final_name, sizeof names.final_name, "%s/ring.%d.%llu%s", directory,
                maker.pid, ticks, suffix);
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

RingFile join_segment(int id, int pid, std::uint64_t start) {
  const wire::Segment segment = wire::attach_segment(id);
  if (segment.at == nullptr) return failure("join", errno);
  const auto* header = static_cast<const wire::RingHeader*>(segment.at);
  if (segment.bytes < wire::kRingHeaderBytes ||
      !is_ring_of(*header, static_cast<off_t>(segment.bytes), pid, start)) {
    ::munmap(segment.at, segment.bytes);
    return failure("join", EINVAL);
  }
  return writer_of(segment.at);
}

// The ring that this process has already. `error` is ENOENT where it has none.
RingFile join_ring(const Names& names, int pid, std::uint64_t start) {
  if (const int id = wire::segment_of(names.final_name); id >= 0) {
    return join_segment(id, pid, start);
  }
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

void fill_header(void* map, std::size_t capacity, const Maker& maker) {
  auto* header = new (map) wire::RingHeader;
  std::memcpy(header->magic, wire::kRingMagic, sizeof header->magic);
  header->version = wire::kWireVersion;
  header->role = static_cast<std::uint32_t>(maker.role);
  header->capacity = capacity;
  header->pid = maker.pid;
  header->parent_pid = static_cast<std::int32_t>(::getppid());
  header->start_ticks = maker.start_ticks;
  header->created_ns = base::kernel_monotonic_ns();
  header->worker_id = maker.worker_id;
  header->rank = maker.rank;
  header->head.store(0);
  header->tail.store(0);
  header->dropped.store(0);
  header->written.store(0);
}

// Another copy that publishes first is joined.
RingFile make_segment(const Names& names, std::size_t capacity, const Maker& maker) {
  const int id =
      ::shmget(IPC_PRIVATE, wire::kRingHeaderBytes + capacity, IPC_CREAT | IPC_EXCL | 0600);
  if (id < 0) return failure("allocate", errno);
  const wire::Segment segment = wire::attach_segment(id);
  if (segment.at == nullptr) {
    const int err = errno;
    ::shmctl(id, IPC_RMID, nullptr);
    return failure("map", err);
  }
  fill_header(segment.at, capacity, maker);
  if (wire::publish_segment(id, names.final_name)) return writer_of(segment.at);
  const int err = errno;
  ::munmap(segment.at, segment.bytes);
  ::shmctl(id, IPC_RMID, nullptr);
  if (err != EEXIST) return failure("publish", err);
  return joined_as(join_ring(names, maker.pid, maker.start_ticks), maker.role, maker.worker_id);
}

// Files share their disk with the program's own: a ring takes at most this share of
// what is free, down to the least that is of use.
constexpr std::uint64_t kFreeShare = 64;
constexpr std::size_t kLeastFileBytes = 16U << 10;

std::size_t beside_the_program(const char* directory, std::size_t capacity) {
  struct statvfs disk{};
  if (::statvfs(directory, &disk) != 0) return capacity;
  const std::uint64_t most = disk.f_bavail * std::uint64_t{disk.f_frsize} / kFreeShare;
  while (capacity > kLeastFileBytes && wire::kRingHeaderBytes + capacity > most) capacity /= 2;
  return capacity;
}

// Beyond the limit, allocating would send the program SIGXFSZ.
bool above_the_limit(std::size_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes;
}

RingFile make_file(const Names& names, std::size_t capacity, const Maker& maker) {
  const std::size_t total = wire::kRingHeaderBytes + capacity;
  if (above_the_limit(total)) return failure("allocate", EFBIG);
  const int fd = ::open(names.temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const int create_error = errno;
  // Whoever holds the temporary file is the only one to make the ring.
  const RingFile known =
      joined_as(join_ring(names, maker.pid, maker.start_ticks), maker.role, maker.worker_id);
  if (known.writer || known.error != ENOENT) {
    if (fd >= 0) {
      ::close(fd);
      ::unlink(names.temporary);
    }
    return known;
  }
  if (fd < 0) return failure("create", create_error == EEXIST ? EBUSY : create_error);
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
  fill_header(map, capacity, maker);
  if (::rename(names.temporary, names.final_name) != 0) {
    const int err = errno;
    ::munmap(map, total);
    ::unlink(names.temporary);
    return failure("publish", err);
  }
  return writer_of(map);
}

}  // namespace

RingFile create_ring(const char* directory, const RingSize& size, wire::RingRole role,
                     int worker_id, int rank) {
  const Maker maker{role, worker_id, rank, static_cast<int>(::getpid()), own_start_ticks()};
  Names names{};
  if (!make_names(names, directory, maker)) {
    return failure("create", ENAMETOOLONG);
  }
  if (size.segment) {
    const RingFile known =
        joined_as(join_ring(names, maker.pid, maker.start_ticks), role, worker_id);
    if (known.writer || known.error != ENOENT) return known;
    const RingFile made = make_segment(names, size.bytes, maker);
    if (made.writer || std::strcmp(made.failed_at, "publish") == 0) return made;
  }
  return make_file(names, size.exact ? size.bytes : beside_the_program(directory, size.bytes),
                   maker);
}

}  // namespace flatout::inject
