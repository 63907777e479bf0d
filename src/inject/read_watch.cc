#include "inject/read_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/met_paths.h"

namespace flatout::inject {
namespace {

constexpr off_t kMostListBytes = 32 << 20;  // written by all processes

char* list_path = nullptr;
MetPaths<1U << 16> met_reads;  // half a MiB, of which trials alone touch anything
std::atomic_flag reads_busy = ATOMIC_FLAG_INIT;

bool is_module(const char* path, std::size_t bytes) {
  for (const char* const end : {".py", ".pyc", ".so"}) {
    const std::size_t size = std::strlen(end);
    if (bytes > size && std::memcmp(path + bytes - size, end, size) == 0) return true;
  }
  return false;
}

// Opened each time: a program may close all descriptors.
void say_read(const char* path) {
  char line[PATH_MAX + 2];
  const int bytes = std::snprintf(line, sizeof line, "%s\n", path);
  if (bytes <= 0 || static_cast<std::size_t>(bytes) >= sizeof line) return;
  const int fd = ::open(list_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (::lseek(fd, 0, SEEK_END) < kMostListBytes)
    (void)!::write(fd, line, static_cast<size_t>(bytes));
  ::close(fd);
}

void meet_read(const char* given) {
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
  while (reads_busy.test_and_set(std::memory_order_acquire)) {
  }
  if (met_reads.is_new(path)) say_read(path);
  reads_busy.clear(std::memory_order_release);
}

}  // namespace

bool watch_reads() {
  const char* const file = ::getenv("FLATOUT_TRIAL_READS");
  if (list_path == nullptr && file != nullptr && file[0] == '/') list_path = ::strdup(file);
  return list_path != nullptr;
}

void note_read(PyObject* path) {
  if (list_path == nullptr || path == nullptr) return;
  const int before = errno;
  if (PyBytes_Check(path)) {
    meet_read(PyBytes_AsString(path));
  } else if (PyUnicode_Check(path)) {
    const Ref bytes(PyUnicode_EncodeFSDefault(path));
    if (bytes) {
      meet_read(PyBytes_AsString(bytes.get()));
    } else {
      PyErr_Clear();
    }
  }
  errno = before;
}

}  // namespace flatout::inject
