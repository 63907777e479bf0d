#include "base/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace flatout::base {
namespace {

// umask(2) can only be asked by setting it, which all threads would feel.
mode_t current_umask() {
  const auto status = read_file("/proc/self/status", 1U << 20);
  const std::size_t at = status ? status->find("\nUmask:") : std::string::npos;
  if (at == std::string::npos) return 077;
  return static_cast<mode_t>(std::strtoul(status->c_str() + at + 7, nullptr, 8)) & 0777;
}

}  // namespace

Result<NewFile> NewFile::beside(const std::filesystem::path& path, mode_t mode) {
  std::string name = path.string() + ".XXXXXX";
  UniqueFd fd(::mkostemp(name.data(), O_CLOEXEC));  // O_EXCL: no link can lie in wait
  if (!fd) return fail_errno(errno, "cannot write " + path.string());
  NewFile file(std::move(name), std::move(fd));
  struct stat there{};
  const bool keeps = ::lstat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode);
  const mode_t wanted = keeps ? there.st_mode & 0777 : mode & ~current_umask();
  // A file system without modes (vfat) refuses; its files have those of the mount.
  if (::fchmod(file.fd(), wanted) != 0 && errno != EPERM && errno != ENOTSUP) {
    return fail_errno(errno, "cannot set the mode of " + file.name());
  }
  return file;
}

NewFile::~NewFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

Result<void> NewFile::finish() {
  if (!fd_) return {};  // it is finished, and was refused its name
  if (::fsync(fd_.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    return fail_errno(errno, "cannot write " + name_);
  }
  // Some file systems say only here that the disk is full.
  if (::close(fd_.release()) != 0 && errno != EINTR) {
    return fail_errno(errno, "cannot write " + name_);
  }
  return {};
}

Result<void> NewFile::replace(const std::filesystem::path& path) {
  if (::rename(name_.c_str(), path.c_str()) != 0) {
    return fail_errno(errno, "cannot replace " + path.string());
  }
  name_.clear();
  sync_folder_of(path);
  return {};
}

Result<void> NewFile::take_name(const std::filesystem::path& path) {
  int done = ::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
  if (done != 0 && (errno == EINVAL || errno == ENOSYS)) {
    // A file system without that flag (NFS): a link, too, is refused where the name is taken.
    done = ::link(name_.c_str(), path.c_str());
    if (done == 0) ::unlink(name_.c_str());
  }
  if (done != 0 && errno == EEXIST) {
    return fail(ErrorCode::kExists, path.string() + " is there already");
  }
  if (done != 0) return fail_errno(errno, "cannot write " + path.string());
  name_.clear();
  sync_folder_of(path);
  return {};
}

void sync_folder_of(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) (void)::fsync(fd.get());
}

namespace {

Result<void> write_new(const std::filesystem::path& path, std::string_view content, mode_t mode) {
  auto file = NewFile::beside(path, mode);
  if (!file) return std::unexpected(file.error());
  if (auto done = write_all(file->fd(), content, path.string()); !done) return done;
  if (auto done = file->finish(); !done) return done;
  return file->replace(path);
}

}  // namespace

Result<void> write_file_atomic(const std::filesystem::path& path, std::string_view content) {
  return write_new(path, content, 0666);
}

Result<void> write_private_file(const std::filesystem::path& path, std::string_view content) {
  return write_new(path, content, 0600);
}

}  // namespace flatout::base
