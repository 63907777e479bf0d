// A file of --out that is written piece by piece. Main thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/new_file.h"
#include "base/result.h"

namespace flatout::app {

// A regular or missing file is replaced whole or not at all, when it is finished; anything else (a
// pipe, /dev/stderr) is written to as it is.
class StreamedFile {
 public:
  static base::Result<StreamedFile> open(const std::string& path);
  StreamedFile(StreamedFile&&) noexcept = default;
  StreamedFile& operator=(StreamedFile&&) = delete;

  base::Result<void> write(std::string_view bytes);
  base::Result<void> finish();

 private:
  StreamedFile(std::string path, base::NewFile file) : path_(std::move(path)) {
    new_file_.emplace(std::move(file));
  }
  StreamedFile(std::string path, base::UniqueFd other)
      : path_(std::move(path)), other_(std::move(other)) {}

  std::string path_;
  std::optional<base::NewFile> new_file_;  // removed where it was not finished
  base::UniqueFd other_;
};

}  // namespace flatout::app
