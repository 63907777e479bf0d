#include "inject/write_watch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/met_paths.h"
#include "inject/read_watch.h"

namespace flatout::inject {
namespace {

constexpr int kMostRules = 128;
constexpr long kNoDirectory = -100;  // AT_FDCWD; the audit event has -1

struct Rule {
  const char* path;
  std::size_t bytes;
  bool said;
};

char* file_path = nullptr;
Rule rules[kMostRules];
int rule_count = 0;

// With the GIL one thread at a time is here; without one, the flag sees to it.
MetPaths<4096> met;
std::atomic_flag busy = ATOMIC_FLAG_INIT;

// Absolute and without ".", ".." and links, as far as it exists; false where it is
// too long or unknown. `path` becomes what is said of it.
bool resolve(const char* given, long directory, char (&path)[PATH_MAX]) {
  char whole[2 * PATH_MAX];
  if (given[0] == '/') {
    if (std::snprintf(whole, sizeof whole, "%s", given) >= PATH_MAX) return false;
  } else {
    char from[PATH_MAX];
    if (directory >= 0) {
      char name[64];
      std::snprintf(name, sizeof name, "/proc/self/fd/%ld", directory);
      const ssize_t n = ::readlink(name, from, sizeof from - 1);
      if (n <= 0) return false;
      from[n] = '\0';
    } else if (::getcwd(from, sizeof from) == nullptr) {
      return false;
    }
    std::snprintf(whole, sizeof whole, "%s/%s", from, given);
  }
  if (::realpath(whole, path) != nullptr) return true;
  // New, as a rule: what exists of it is resolved, the rest stands as it is.
  for (char* cut = whole + std::strlen(whole); cut > whole; --cut) {
    if (*cut != '/') continue;
    *cut = '\0';
    const bool found = ::realpath(cut == whole ? "/" : whole, path) != nullptr;
    *cut = '/';
    if (!found) continue;
    const std::size_t base = std::strcmp(path, "/") == 0 ? 0 : std::strlen(path);
    if (base + std::strlen(cut) >= sizeof path) return false;
    std::memcpy(path + base, cut, std::strlen(cut) + 1);
    return true;
  }
  return false;
}

bool is_said(const char* path) {
  std::size_t longest = 0;
  bool said = true;
  for (int i = 0; i < rule_count; ++i) {
    const Rule& rule = rules[i];
    if (rule.bytes < longest || std::strncmp(path, rule.path, rule.bytes) != 0) continue;
    if (path[rule.bytes] != '\0' && path[rule.bytes] != '/') continue;
    longest = rule.bytes;
    said = rule.said;
  }
  return said;
}

// Opened each time, which is rare: a program may close all descriptors.
void say(const char* what, const char* path) {
  char line[PATH_MAX + 32];
  const int bytes = std::snprintf(line, sizeof line, "%s\t%s\n", what, path);
  for (char* c = line; c + 1 < line + bytes; ++c) {
    if (*c == '\n') *c = '?';
  }
  const int fd = ::open(file_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (::write(fd, line, static_cast<std::size_t>(bytes)) != bytes) errno = 0;
  ::close(fd);
}

void meet(const char* what, const char* given, long directory) {
  const int before = errno;
  char path[PATH_MAX];
  while (busy.test_and_set(std::memory_order_acquire)) {
  }
  if (resolve(given, directory, path) && met.is_new(path) && is_said(path)) say(what, path);
  busy.clear(std::memory_order_release);
  errno = before;
}

// Descriptors and objects that are still to be asked for their path are left out.
void meet_object(const char* what, PyObject* path, long directory) {
  if (path == nullptr) return;
  if (PyBytes_Check(path)) {
    meet(what, PyBytes_AsString(path), directory);
  } else if (PyUnicode_Check(path)) {
    const Ref bytes(PyUnicode_EncodeFSDefault(path));
    if (bytes) {
      meet(what, PyBytes_AsString(bytes.get()), directory);
    } else {
      PyErr_Clear();
    }
  }
}

PyObject* item(PyObject* args, Py_ssize_t index) {
  return index >= 0 && index < PyTuple_Size(args) ? PyTuple_GetItem(args, index) : nullptr;
}

long number(PyObject* args, Py_ssize_t index, long otherwise) {
  PyObject* const object = item(args, index);
  if (object == nullptr || !PyLong_Check(object)) return otherwise;
  const long value = PyLong_AsLong(object);
  if (value == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();
  return value;
}

// https://docs.python.org/3/library/audit_events.html; shutil's others end in these.
struct Event {
  const char* name;
  const char* what;
  int path;       // which argument
  int directory;  // the argument that it is relative to, -1 = none
};
constexpr Event kEvents[] = {
    {"os.mkdir", "made", 0, 2},         {"os.rename", "renamed", 0, 2},
    {"os.rename", "renamed", 1, 3},     {"os.remove", "removed", 0, 1},
    {"os.rmdir", "removed", 0, 1},      {"os.link", "made", 1, 3},
    {"os.symlink", "made", 1, 2},       {"os.truncate", "wrote", 0, -1},
    {"shutil.rmtree", "removed", 0, 1},
};

void meet_open(PyObject* args) {
  constexpr long kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  if ((number(args, 2, 0) & kWriting) != 0) {
    meet_object("wrote", item(args, 0), kNoDirectory);
  } else {
    note_read(item(args, 0));
  }
}

int on_event(const char* event, PyObject* args, void*) {
  if (event[0] != 'o' && event[0] != 's') return 0;
  if (args == nullptr || !PyTuple_Check(args)) return 0;
  if (std::strcmp(event, "open") == 0) {
    meet_open(args);
    return 0;
  }
  for (const Event& known : kEvents) {
    if (std::strcmp(event, known.name) != 0) continue;
    const long directory = number(args, known.directory, kNoDirectory);
    meet_object(known.what, item(args, known.path), directory);
  }
  return 0;
}

void read_rules(char* text) {
  char* rest = nullptr;
  for (char* line = ::strtok_r(text, "\n", &rest); line != nullptr && rule_count < kMostRules;
       line = ::strtok_r(nullptr, "\n", &rest)) {
    const bool known = (line[0] == '+' || line[0] == '-') && line[1] == '/';
    if (known) rules[rule_count++] = {line + 1, std::strlen(line + 1), line[0] == '+'};
  }
}

}  // namespace

bool watch_writes() {
  using Hook = int (*)(const char*, PyObject*, void*);
  using AddHook = int (*)(Hook, void*);
  const char* const file = ::getenv("FLATOUT_TRIAL_WRITES");
  const char* const said = ::getenv("FLATOUT_TRIAL_RULES");
  if (file_path != nullptr || file == nullptr || said == nullptr) return file_path != nullptr;
  // In the stable ABI from 3.13 on, in every Python from 3.8 on.
  const auto add = reinterpret_cast<AddHook>(::dlsym(RTLD_DEFAULT, "PySys_AddAuditHook"));
  char* const text = ::strdup(said);
  char* const copy = ::strdup(file);
  if (add == nullptr || text == nullptr || copy == nullptr) return false;
  read_rules(text);
  file_path = copy;
  if (add(on_event, nullptr) == 0) return true;
  PyErr_Clear();  // a hook that was there before does not want others
  return false;
}

void note_write(PyObject* path) {
  if (file_path != nullptr) meet_object("wrote", path, kNoDirectory);
}

bool write_is_outside(const char* given) {
  char path[PATH_MAX];
  return file_path != nullptr && resolve(given, kNoDirectory, path) && is_said(path);
}

}  // namespace flatout::inject
