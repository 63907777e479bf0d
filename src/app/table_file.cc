#include "app/table_file.h"

namespace flatout::app {

base::Result<TableFile> TableFile::create(const std::filesystem::path& path) {
  auto file = base::NewFile::beside(path);
  if (!file) return std::unexpected(file.error());
  return TableFile(path, std::move(*file));
}

base::Result<void> TableFile::write(std::string_view bytes) {
  return base::write_all(file_.fd(), bytes, path_.string());
}

base::Result<void> TableFile::finish(bool replace) {
  if (auto done = file_.finish(); !done) return done;
  auto named = replace ? file_.replace(path_) : file_.take_name(path_);
  if (!named && named.error().code == base::ErrorCode::kExists) {
    return base::fail(base::ErrorCode::kExists, named.error().message + "; --force replaces it");
  }
  return named;
}

}  // namespace flatout::app
