// A file that is either there whole or not at all, and stays there after a power
// cut: written under a name that nobody can guess, in the folder where it will be,
// synced and renamed. What comes in a file's place keeps its permissions; a link is
// replaced, not followed. write_file_atomic (base/file.h) is made of it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace flatout::base {

// Not called `path` yet; removed unless it gets that name. `mode` is what open(2)
// would get: the umask counts. One thread.
class NewFile {
 public:
  static Result<NewFile> beside(const std::filesystem::path& path, mode_t mode = 0666);
  NewFile(NewFile&& other) noexcept
      : name_(std::exchange(other.name_, {})), fd_(std::move(other.fd_)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  int fd() const { return fd_.get(); }
  const std::string& name() const { return name_; }
  // On disk and closed; call it before the file gets its name.
  Result<void> finish();
  // rename(2), and the folder on disk.
  Result<void> replace(const std::filesystem::path& path);
  // The same, but kExists where `path` is there.
  Result<void> take_name(const std::filesystem::path& path);

 private:
  NewFile(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}
  std::string name_;  // "" = it has its name
  UniqueFd fd_;
};

// fsync(2) of the folder that `path` lies in; what has no such thing is no error.
void sync_folder_of(const std::filesystem::path& path);

// write_file_atomic of what is for this user alone, mode 0600.
Result<void> write_private_file(const std::filesystem::path& path, std::string_view content);

}  // namespace flatout::base
