#include "launch/process_room.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <sstream>
#include <system_error>

#include "base/file.h"

namespace flatout::launch {
namespace {

// flatout, its canary, and a thread for each kind of device.
constexpr std::uint64_t kOwn = 16;
// Above it nobody counts so closely, and all of /proc need not be read.
constexpr std::uint64_t kLow = 1024;

// Threads of a process, if it is of user `uid`: proc(5)'s status.
std::uint64_t threads_of(const std::filesystem::path& process, uid_t uid) {
  std::istringstream lines(base::read_file(process / "status", 64 * 1024).value_or(""));
  bool ours = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Uid:")) ours = std::stoul(line.substr(5)) == uid;
    if (ours && line.starts_with("Threads:")) return std::stoull(line.substr(9));
  }
  return 0;
}

std::uint64_t threads_of_user(uid_t uid, const std::filesystem::path& proc) {
  std::uint64_t sum = 0;
  std::error_code error;
  std::filesystem::directory_iterator it(proc, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos) {
      sum += threads_of(it->path(), uid);
    }
  }
  return sum;
}

}  // namespace

std::optional<std::string> too_few_processes(const std::filesystem::path& proc) {
  rlimit limit{};
  if (::geteuid() == 0 || ::getrlimit(RLIMIT_NPROC, &limit) != 0) return std::nullopt;
  if (limit.rlim_cur > kLow) return std::nullopt;
  const std::uint64_t used = threads_of_user(::getuid(), proc);
  if (used + kOwn <= limit.rlim_cur) return std::nullopt;
  return "this user may have " + std::to_string(limit.rlim_cur) + " processes and has " +
         std::to_string(used) + ", flatout wants up to " + std::to_string(kOwn) +
         " (raise ulimit -u)";
}

}  // namespace flatout::launch
