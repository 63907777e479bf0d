#include "app/streamed_file.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>

namespace flatout::app {

base::Result<StreamedFile> StreamedFile::open(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
    auto file = base::NewFile::beside(path);
    if (!file) return std::unexpected(file.error());
    return StreamedFile(path, std::move(*file));
  }
  base::UniqueFd file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!file) return base::fail_errno(errno, "cannot write " + path);
  return StreamedFile(path, std::move(file));
}

base::Result<void> StreamedFile::write(std::string_view bytes) {
  return base::write_all(new_file_ ? new_file_->fd() : other_.get(), bytes, path_);
}

base::Result<void> StreamedFile::finish() {
  if (!new_file_) return {};
  if (auto done = new_file_->finish(); !done) return done;
  return new_file_->replace(path_);
}

}  // namespace flatout::app
