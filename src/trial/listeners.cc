#include "trial/listeners.h"

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSocketsMax = 16U << 20;  // bytes of text, of all sockets of a machine
constexpr unsigned long kAcceptsConnections = 1UL << 16;  // __SO_ACCEPTCON of linux/net.h
constexpr std::string_view kFolderBegin = "pymp-";
constexpr std::string_view kSocketBegin = "listener-";

// "socket:[<inode>]", as the links in /proc/<pid>/fd are called, -> path.
using Listening = std::map<std::string, fs::path>;

Listening listening(const fs::path& process) {
  Listening out;
  std::istringstream lines(base::read_file(process / "net/unix", kSocketsMax).value_or(""));
  std::string line;
  std::getline(lines, line);  // the names of its columns
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string number, references, protocol, type, state, inode, path;
    unsigned long flags = 0;
    fields >> number >> references >> protocol >> std::hex >> flags >> type >> state >> inode;
    if (!fields || (flags & kAcceptsConnections) == 0) continue;
    std::getline(fields >> std::ws, path);
    const fs::path at(path);
    if (at.is_absolute() && at.filename().native().starts_with(kSocketBegin) &&
        at.parent_path().filename().native().starts_with(kFolderBegin)) {
      out.emplace("socket:[" + inode + "]", at);
    }
  }
  return out;
}

bool is_own_socket(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && info.st_uid == ::geteuid();
}

}  // namespace

void TrialListeners::look(std::span<const pid_t> living) {
  if (living.empty()) return;
  const Listening all = listening(proc_ / std::to_string(living.front()));
  if (all.empty()) return;
  for (const pid_t pid : living) {
    std::error_code err;
    fs::directory_iterator fds(proc_ / std::to_string(pid) / "fd", err);
    for (; !err && fds != fs::directory_iterator(); fds.increment(err)) {
      std::error_code none;
      const auto found = all.find(fs::read_symlink(fds->path(), none).native());
      if (!none && found != all.end()) sockets_.insert(found->second);
    }
  }
}

std::vector<std::string> TrialListeners::remove() const {
  std::vector<std::string> out;
  for (const fs::path& socket : sockets_) {
    if (!is_own_socket(socket) || ::unlink(socket.c_str()) != 0) continue;
    if (::rmdir(socket.parent_path().c_str()) == 0) out.push_back(socket.parent_path().native());
  }
  return out;
}

}  // namespace flatout::trial
