// A file that is written piece by piece and is there whole or not at all. Main
// thread.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/new_file.h"
#include "base/result.h"

namespace flatout::app {

class TableFile {
 public:
  static base::Result<TableFile> create(const std::filesystem::path& path);
  TableFile(TableFile&&) noexcept = default;
  TableFile& operator=(TableFile&&) = delete;

  base::Result<void> write(std::string_view bytes);
  // Gives it its name. kExists where `path` is there and `replace` is not asked.
  base::Result<void> finish(bool replace);

 private:
  TableFile(std::filesystem::path path, base::NewFile file)
      : path_(std::move(path)), file_(std::move(file)) {}
  std::filesystem::path path_;
  base::NewFile file_;  // removed where it was not finished
};

}  // namespace flatout::app
