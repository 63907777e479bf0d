// The file system, as the store needs it, behind one port: tests hand in a
// disk that fills up or refuses (faulty_disk.h). Implementations may be called
// from any thread; one DiskFile belongs to one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace flatout::store {

struct DiskFileStatus {
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;  // since 1970: last write
};

// One open log, read and written at explicit offsets, so that writing the same
// bytes again after a failure cannot leave a hole or a duplicate.
class DiskFile {
 public:
  virtual ~DiskFile() = default;
  // One pwrite(2): bytes written, possibly fewer than asked, never 0 of some.
  virtual base::Result<std::size_t> write_at(std::uint64_t offset, std::string_view bytes) = 0;
  // Bytes read, fewer only at the end of the file.
  virtual base::Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) = 0;
  virtual base::Result<void> truncate(std::uint64_t bytes) = 0;
  virtual base::Result<void> sync() = 0;  // fdatasync(2)
  virtual base::Result<DiskFileStatus> status() = 0;
  // An exclusive advisory lock that ends with this object or the process.
  // kExists when somebody else holds it, kUnavailable where the file system
  // has no locks.
  virtual base::Result<void> lock() = 0;
};

class Disk {
 public:
  virtual ~Disk() = default;
  // Creates `path` and its missing parents with mode 0700.
  virtual base::Result<void> make_parents(const std::filesystem::path& path) = 0;
  // mkdir(2) with mode 0700; kExists when it is there already.
  virtual base::Result<void> make_dir(const std::filesystem::path& path) = 0;
  // Creates a file (mode 0600) that must not exist yet; kExists when it does.
  virtual base::Result<std::unique_ptr<DiskFile>> create(const std::filesystem::path& path) = 0;
  // Open an existing regular file, to read and write or only to read.
  virtual base::Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& path) = 0;
  virtual base::Result<std::unique_ptr<DiskFile>> open_to_read(
      const std::filesystem::path& path) = 0;
  // rename(2): `to` is replaced. On disk for good only after sync_dir.
  virtual base::Result<void> rename(const std::filesystem::path& from,
                                    const std::filesystem::path& to) = 0;
  // unlink(2); kNotFound when it is not there.
  virtual base::Result<void> remove(const std::filesystem::path& path) = 0;
  // fsync(2) of a folder: the names in it survive a power cut. Succeeds also
  // where the file system has no such thing.
  virtual base::Result<void> sync_dir(const std::filesystem::path& path) = 0;
};

Disk& system_disk();

}  // namespace flatout::store
