#include "app/report_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/streamed_file.h"
#include "base/new_file.h"

namespace flatout::app {

base::Result<void> write_report_file(const std::string& path, std::string_view text) {
  auto file = StreamedFile::open(path);
  if (!file) return std::unexpected(file.error());
  if (auto done = file->write(text); !done) return done;
  return file->finish();
}

base::Result<void> can_write_report_file(const std::string& option, const std::string& path) {
  namespace fs = std::filesystem;
  const auto refused = [&](const std::string& why, const std::string& next) {
    return base::fail(base::ErrorCode::kInvalid,
                      option + ": cannot write " + path + ": " + why + "; " + next);
  };
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (fs::is_directory(path, error)) return refused("it is a folder", "name a file in it");
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // a pipe, a device, a link
    if (::access(path.c_str(), W_OK) == 0) return {};
    return refused(std::strerror(errno), "name another one");
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    if (fs::exists(folder, error)) {
      return refused(folder.string() + " is no folder", "name another file");
    }
    return refused("there is no folder " + folder.string(),
                   "make it first (mkdir -p " + folder.string() + ") or name another file");
  }
  // As the file itself will be made, which a look at permissions only guesses.
  if (const auto probe = base::NewFile::beside(path, 0600); !probe) {
    // There may be room again when it is written, and a full disk is no reason not to train.
    const auto room = fs::space(folder.empty() ? fs::path(".") : folder, error);
    if (!error && room.capacity > 0 && room.available == 0) return {};
    return base::fail(
        base::ErrorCode::kInvalid,
        option + ": " + probe.error().message + "; make its folder writable or name another file");
  }
  return {};
}

}  // namespace flatout::app
