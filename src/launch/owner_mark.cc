#include "launch/owner_mark.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <climits>
#include <ctime>
#include <string_view>
#include <system_error>

#include "base/process.h"

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwner = ".owner";
constexpr const char* kLock = ".lock";

struct Owner {
  base::ProcessId id;
  std::string boot_id;
  std::string pid_namespace;
  fs::path home;
};

std::string pid_namespace() {
  std::error_code error;
  return fs::read_symlink("/proc/self/ns/pid", error).string();
}

std::string cut(std::string_view& text, char end) {
  const auto at = text.find(end);
  std::string out(text.substr(0, at));
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return out;
}

template <typename Number>
bool is_number(const std::string& text, Number& out) {
  const char* const end = text.data() + text.size();
  const auto [at, err] = std::from_chars(text.data(), end, out);
  return err == std::errc{} && at == end;
}

// The namespace's name, "pid:[4026531836]", has a ':' of its own.
std::optional<Owner> owner_of(const fs::path& dir) {
  std::error_code error;
  const std::string text = fs::read_symlink(dir / kOwner, error).string();
  if (error) return std::nullopt;
  std::string_view rest = text;
  Owner out;
  const bool numbers =
      is_number(cut(rest, '.'), out.id.pid) && is_number(cut(rest, '.'), out.id.start_ticks);
  if (!numbers || out.id.pid <= 0) return std::nullopt;
  out.boot_id = cut(rest, '.');
  out.pid_namespace = cut(rest, ']') + "]";
  if (out.boot_id.empty() || !rest.starts_with(':')) return std::nullopt;
  out.home = rest.substr(1);
  return out;
}

bool is_dead(const Owner& owner, const fs::path& proc) {
  if (owner.boot_id != base::boot_id()) return !base::boot_id().empty();
  return owner.pid_namespace == pid_namespace() && !base::process_alive(owner.id, proc);
}

bool lock_is_free(const fs::path& dir) {
  const base::UniqueFd lock(::open((dir / kLock).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

base::UniqueFd mark_owner(const fs::path& dir, const fs::path& home) {
  const auto self = base::process_id(::getpid());
  const std::string boot = base::boot_id();
  if (!self || boot.empty()) return {};
  base::UniqueFd lock(
      ::open((dir / kLock).c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
  const std::string text = std::to_string(self->pid) + "." + std::to_string(self->start_ticks) +
                           "." + boot + "." + pid_namespace() + ":" + home.native();
  if (text.size() >= PATH_MAX || ::symlink(text.c_str(), (dir / kOwner).c_str()) != 0) return {};
  return lock;
}

std::vector<Abandoned> abandoned_folders(std::span<const fs::path> roots, const std::string& prefix,
                                         const fs::path& proc) {
  std::vector<Abandoned> out;
  for (const fs::path& root : roots) {
    std::error_code error;
    fs::directory_iterator it(root, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      const std::string name = it->path().filename();
      if (!name.starts_with(prefix) || !base::is_own_folder(it->path())) continue;
      const auto owner = owner_of(it->path());
      if (!owner || !is_dead(*owner, proc) || !lock_is_free(it->path())) continue;
      out.push_back({it->path(), owner->home, name.substr(prefix.size())});
    }
  }
  return out;
}

std::optional<std::chrono::seconds> untouched_for(const fs::path& dir) {
  struct stat info{};
  if (::lstat(dir.c_str(), &info) != 0) return std::nullopt;
  return std::chrono::seconds(::time(nullptr) - info.st_mtim.tv_sec);
}

std::vector<fs::path> unmarked_folders(std::span<const fs::path> roots, const std::string& prefix,
                                       std::chrono::seconds age) {
  std::vector<fs::path> out;
  if (base::boot_id().empty()) return out;
  for (const fs::path& root : roots) {
    std::error_code error;
    fs::directory_iterator it(root, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      const fs::path& dir = it->path();
      if (!dir.filename().native().starts_with(prefix) || !base::is_own_folder(dir)) continue;
      const auto untouched = untouched_for(dir);
      if (!untouched || *untouched < age) continue;
      std::error_code unknown;
      const auto mark = fs::symlink_status(dir / kOwner, unknown).type();
      if (mark != fs::file_type::not_found) continue;
      if (fs::exists(dir / kLock, unknown) && !lock_is_free(dir)) continue;
      out.push_back(dir);
    }
  }
  return out;
}

}  // namespace flatout::launch
