// A ring in a System V shared memory segment. Its entry in the ring directory,
// `ring.<pid>.<start_ticks>`, is then a symbolic link to the text "sysv:<id>".
// std and POSIX only.
//
// Why not a file: nobody can shrink a segment, so neither side can be killed by
// SIGBUS; it takes nothing of /dev/shm, which containers keep small and programs
// need; no file size limit holds for it; and it outlives both sides, however they
// end, so the first reader afterwards finds what was written. A link needs no
// block of a disk, and it is there whole or not at all.
#pragma once

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace flatout::wire {

// What the link says; no path begins with it, as it is never followed.
constexpr char kSegmentMark[] = "sysv:";
constexpr std::size_t kSegmentMarkBytes = sizeof kSegmentMark - 1;

// An id means something in one IPC namespace only: its name, as the link
// /proc/self/ns/ipc gives it, "" where that cannot be read.
struct IpcNamespace {
  char name[64] = "";
};
inline IpcNamespace own_ipc_namespace() {
  IpcNamespace out;
  const ssize_t n = ::readlink("/proc/self/ns/ipc", out.name, sizeof out.name - 1);
  out.name[n > 0 ? n : 0] = '\0';
  return out;
}

// The id that the link `path` names. -1 with errno where it names none: ENOENT,
// EINVAL for what is no link, EBADMSG for a link to something else.
inline int segment_of(const char* path) {
  char text[64];
  const ssize_t n = ::readlink(path, text, sizeof text - 1);
  if (n < 0) return -1;
  text[n] = '\0';
  int id = 0;
  const char* at = text + kSegmentMarkBytes;
  bool good = std::strncmp(text, kSegmentMark, kSegmentMarkBytes) == 0 && *at != '\0';
  for (; good && *at != '\0'; ++at) {
    good = *at >= '0' && *at <= '9' && id < 100'000'000;
    if (good) id = id * 10 + (*at - '0');
  }
  if (good && id >= 0) return id;
  errno = EBADMSG;
  return -1;
}

struct Segment {
  void* at = nullptr;  // munmap(2) it
  std::size_t bytes = 0;
};

// Maps a segment that this user owns; empty with errno otherwise. One that is
// marked for removal is mapped all the same while somebody has it.
inline Segment attach_segment(int id) {
  shmid_ds info{};
  if (::shmctl(id, IPC_STAT, &info) != 0) return {};
  if (info.shm_perm.uid != ::geteuid()) {
    errno = EPERM;
    return {};
  }
  void* at = ::shmat(id, nullptr, 0);
  if (reinterpret_cast<std::ptrdiff_t>(at) == -1) return {};
  // Not for children of fork(), which have rings of their own, nor for core files.
  ::madvise(at, info.shm_segsz, MADV_DONTFORK);
  ::madvise(at, info.shm_segsz, MADV_DONTDUMP);
  return {at, info.shm_segsz};
}

// Lets the segment go once nobody maps it any more, if this user owns it and the
// process `maker` made it.
inline void remove_segment(int id, int maker) {
  shmid_ds info{};
  if (::shmctl(id, IPC_STAT, &info) != 0 || info.shm_perm.uid != ::geteuid()) return;
  if (info.shm_cpid == maker) ::shmctl(id, IPC_RMID, nullptr);
}

// The entry for segment `id`. False with errno, EEXIST where the name is taken.
inline bool publish_segment(int id, const char* path) {
  char text[32];
  std::snprintf(text, sizeof text, "%s%d", kSegmentMark, id);
  return ::symlink(text, path) == 0;
}

}  // namespace flatout::wire
