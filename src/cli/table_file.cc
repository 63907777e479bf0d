#include "cli/table_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace flatout::cli {
namespace {

std::filesystem::path part_of(const std::filesystem::path& path) { return path.string() + ".part"; }

}  // namespace

TableFile::TableFile(std::filesystem::path path, base::UniqueFd file)
    : path_(std::move(path)), file_(std::move(file)) {}

base::Result<TableFile> TableFile::create(const std::filesystem::path& path) {
  const std::filesystem::path part = part_of(path);
  ::unlink(part.c_str());
  base::UniqueFd file(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file) return base::fail_errno(errno, "cannot write " + part.string());
  return TableFile(path, std::move(file));
}

TableFile::~TableFile() {
  if (file_) ::unlink(part_of(path_).c_str());
}

base::Result<void> TableFile::write(std::string_view bytes) {
  return base::write_all(file_.get(), bytes, part_of(path_).string());
}

base::Result<void> TableFile::finish(bool replace) {
  const std::filesystem::path part = part_of(path_);
  int done =
      ::renameat2(AT_FDCWD, part.c_str(), AT_FDCWD, path_.c_str(), replace ? 0 : RENAME_NOREPLACE);
  if (done != 0 && !replace && (errno == EINVAL || errno == ENOSYS)) {
    // A file system without that flag (NFS): a link, too, is refused where the name is taken.
    done = ::link(part.c_str(), path_.c_str());
    if (done == 0) ::unlink(part.c_str());
  }
  if (done != 0 && errno == EEXIST) {
    return base::fail(base::ErrorCode::kExists,
                      path_.string() + " is there already; --force replaces it");
  }
  if (done != 0) return base::fail_errno(errno, "cannot write " + path_.string());
  file_ = base::UniqueFd();
  return {};
}

}  // namespace flatout::cli
