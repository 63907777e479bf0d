#include "app/report_file.h"

#include <fcntl.h>

#include <filesystem>

#include "base/file.h"

namespace flatout::app {

base::Result<void> write_report_file(const std::string& path, std::string_view text) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
    return base::write_file_atomic(path, text);
  }
  const base::UniqueFd file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!file) return base::fail_errno(errno, "cannot write " + path);
  return base::write_all(file.get(), text, path);
}

}  // namespace flatout::app
