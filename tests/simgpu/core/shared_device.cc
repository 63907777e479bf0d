#include "core/shared_device.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>

#include "core/config.h"

namespace simgpu {
namespace {

void make_lock(SharedDevice& device) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&device.lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

SharedDevice* map(int index) {
  const std::string path = config().machine_folder + "/device" + std::to_string(index);
  mkdir(config().machine_folder.c_str(), 0700);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    std::fprintf(stderr,
                 "simgpu: %s: %s; SIMGPU_MACHINE names the folder that the processes of one "
                 "simulated machine share\n",
                 path.c_str(), std::strerror(errno));
    return nullptr;
  }
  flock(file, LOCK_EX);
  struct stat status{};
  fstat(file, &status);
  const bool is_new = status.st_size < static_cast<off_t>(sizeof(SharedDevice));
  void* mapped =
      is_new && ftruncate(file, sizeof(SharedDevice)) != 0
          ? MAP_FAILED
          : mmap(nullptr, sizeof(SharedDevice), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  auto* const device = mapped == MAP_FAILED ? nullptr : static_cast<SharedDevice*>(mapped);
  if (device == nullptr) {
    std::fprintf(stderr, "simgpu: %s: %s\n", path.c_str(), std::strerror(errno));
  } else if (is_new) {
    make_lock(*device);
    device->temperature_c = config().ambient_c + 10;
    device->measured_at = now();
  }
  flock(file, LOCK_UN);
  close(file);
  return device;
}

// A process that has ended and that nobody has waited for yet has no files and no memory any more.
bool has_ended(pid_t pid) {
  if (kill(pid, 0) != 0) {
    return errno == ESRCH;
  }
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(in, stat);
  const auto name_ends = stat.rfind(')');  // "PID (NAME) STATE ...", and a name may hold anything
  return name_ends != std::string::npos && stat.compare(name_ends, 3, ") Z") == 0;
}

}  // namespace

SharedDevice* shared_device(int device) {
  static std::mutex lock;
  static std::array<SharedDevice*, 64> mapped{};
  if (device < 0 || device >= static_cast<int>(mapped.size())) {
    return nullptr;
  }
  const std::lock_guard guard(lock);
  SharedDevice*& one = mapped[static_cast<std::size_t>(device)];
  if (one == nullptr) {
    one = map(device);
  }
  return one;
}

SharedLock::SharedLock(SharedDevice& device) : device_(device) {
  if (pthread_mutex_lock(&device_.lock) == EOWNERDEAD) {
    pthread_mutex_consistent(&device_.lock);  // at worst one interval was being put in
  }
}

SharedLock::~SharedLock() { pthread_mutex_unlock(&device_.lock); }

ProcessMemory* row_of(SharedDevice& device, pid_t pid) {
  for (ProcessMemory& row : device.processes) {
    if (row.pid == pid) {
      return &row;
    }
  }
  return nullptr;
}

void drop_the_dead(SharedDevice& device) {
  for (ProcessMemory& process : device.processes) {
    if (process.pid != 0 && process.pid != getpid() && has_ended(process.pid)) {
      device.memory_used -= process.bytes;
      process = {};
    }
  }
}

}  // namespace simgpu
