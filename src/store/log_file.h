// An open frame log: the file, and what a reader reads it through. Internal to
// store/.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "store/disk.h"
#include "store/frame_log.h"

namespace flatout::store {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(DiskFile& file) : file_(file) {}
  base::Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) override {
    return file_.read_at(offset, out, n);
  }

 private:
  DiskFile& file_;
};

struct OpenLog {
  std::unique_ptr<DiskFile> file;
  std::unique_ptr<FileSource> source;
  DiskFileStatus status;
  std::string name;
};

// Where the log of the run in `folder` is: in it, or staged on this machine
// (staging.h).
std::filesystem::path log_path(const std::filesystem::path& folder);

// kNotFound, with the next step, when there is none.
base::Result<OpenLog> open_log(const std::filesystem::path& folder);
// Also to write, for its lock.
base::Result<OpenLog> open_log_to_seal(const std::filesystem::path& folder, Disk& disk);

}  // namespace flatout::store
