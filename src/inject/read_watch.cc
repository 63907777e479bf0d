#include "inject/read_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace flatout::inject {
namespace {

constexpr std::size_t kSlots = 1U << 16;        // a power of two; 8 bytes each
constexpr std::size_t kMostPaths = kSlots / 2;  // said by one process
constexpr off_t kMostBytes = 32 << 20;          // of the file, by all processes

char* file_path = nullptr;

// Hashes of what was met, 0 = free; see write_watch.cc on threads.
std::uint64_t met[kSlots];
std::size_t met_count = 0;
std::atomic_flag busy = ATOMIC_FLAG_INIT;

bool is_module(const char* path, std::size_t bytes) {
  for (const char* const end : {".py", ".pyc", ".so"}) {
    const std::size_t size = std::strlen(end);
    if (bytes > size && std::memcmp(path + bytes - size, end, size) == 0) return true;
  }
  return false;
}

// 64-bit FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
std::uint64_t hash_of(const char* text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (; *text != '\0'; ++text) {
    hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3ULL;
  }
  return hash == 0 ? 1 : hash;
}

bool is_new(const char* path) {
  if (met_count >= kMostPaths) return false;
  const std::uint64_t hash = hash_of(path);
  std::size_t at = hash % kSlots;
  while (met[at] != 0 && met[at] != hash) at = (at + 1) % kSlots;
  if (met[at] == hash) return false;
  met[at] = hash;
  ++met_count;
  return true;
}

// Opened each time: a program may close all descriptors.
void say(const char* path) {
  char line[PATH_MAX + 2];
  const int bytes = std::snprintf(line, sizeof line, "%s\n", path);
  if (bytes <= 0 || static_cast<std::size_t>(bytes) >= sizeof line) return;
  const int fd = ::open(file_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (::lseek(fd, 0, SEEK_END) < kMostBytes) (void)!::write(fd, line, static_cast<size_t>(bytes));
  ::close(fd);
}

void meet(const char* given) {
  char path[PATH_MAX];
  const std::size_t bytes = std::strlen(given);
  if (bytes == 0 || bytes >= sizeof path || std::strchr(given, '\n') != nullptr) return;
  if (is_module(given, bytes)) return;
  if (given[0] == '/') {
    std::memcpy(path, given, bytes + 1);
  } else {
    char from[PATH_MAX];
    if (::getcwd(from, sizeof from) == nullptr) return;
    const int size = std::snprintf(path, sizeof path, "%s/%s", from, given);
    if (size <= 0 || static_cast<std::size_t>(size) >= sizeof path) return;
  }
  while (busy.test_and_set(std::memory_order_acquire)) {
  }
  if (is_new(path)) say(path);
  busy.clear(std::memory_order_release);
}

}  // namespace

bool watch_reads() {
  const char* const file = ::getenv("FLATOUT_TRIAL_READS");
  if (file_path == nullptr && file != nullptr && file[0] == '/') file_path = ::strdup(file);
  return file_path != nullptr;
}

void note_read(PyObject* path) {
  if (file_path == nullptr || path == nullptr) return;
  const int before = errno;
  if (PyBytes_Check(path)) {
    meet(PyBytes_AsString(path));
  } else if (PyUnicode_Check(path)) {
    const Ref bytes(PyUnicode_EncodeFSDefault(path));
    if (bytes) {
      meet(PyBytes_AsString(bytes.get()));
    } else {
      PyErr_Clear();
    }
  }
  errno = before;
}

}  // namespace flatout::inject
