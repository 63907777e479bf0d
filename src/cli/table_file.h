// A file that is written piece by piece and is there whole or not at all. Main
// thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace flatout::cli {

class TableFile {
 public:
  // Starts "<path>.part"; a left-over one is replaced.
  static base::Result<TableFile> create(const std::filesystem::path& path);
  TableFile(TableFile&&) noexcept = default;
  TableFile& operator=(TableFile&&) = delete;
  ~TableFile();  // what was not finished is removed

  base::Result<void> write(std::string_view bytes);
  // Gives it its name. kExists where `path` is there and `replace` is not asked.
  base::Result<void> finish(bool replace);

 private:
  TableFile(std::filesystem::path path, base::UniqueFd file);
  std::filesystem::path path_;
  base::UniqueFd file_;
};

}  // namespace flatout::cli
