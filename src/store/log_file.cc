#include "store/log_file.h"

#include <utility>

#include "store/staging.h"

namespace flatout::store {
namespace {

using base::ErrorCode;
using base::Result;

Result<OpenLog> opened(Result<std::unique_ptr<DiskFile>> file, const std::filesystem::path& folder,
                       const std::filesystem::path& path) {
  if (!file && file.error().code == ErrorCode::kNotFound) {
    if (const auto elsewhere = staged_elsewhere(folder)) {
      return base::fail(ErrorCode::kNotFound, *elsewhere);
    }
    return base::fail(ErrorCode::kNotFound, "no run has been recorded in " + folder.string() +
                                                ": it has no " + std::string(kLogFileName) +
                                                "; see 'flatout ls'");
  }
  if (!file) return std::unexpected(file.error());
  const auto status = (*file)->status();
  if (!status) return std::unexpected(status.error());
  auto source = std::make_unique<FileSource>(**file);
  return OpenLog{std::move(*file), std::move(source), *status, path.string()};
}

}  // namespace

std::filesystem::path log_path(const std::filesystem::path& folder) {
  const auto staged = staged_log(folder);
  return staged ? *staged : folder / kLogFileName;
}

Result<OpenLog> open_log(const std::filesystem::path& folder) {
  const auto path = log_path(folder);
  return opened(system_disk().open_to_read(path), folder, path);
}

Result<OpenLog> open_log_to_seal(const std::filesystem::path& folder, Disk& disk) {
  const auto path = log_path(folder);
  return opened(disk.open(path), folder, path);
}

}  // namespace flatout::store
