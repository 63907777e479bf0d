// The system's disk with faults that a test turns on: no room, no right to
// write, short writes. For tests only.
#pragma once

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "store/disk.h"

namespace flatout::store {

struct Faults {
  std::uint64_t room_bytes = std::numeric_limits<std::uint64_t>::max();  // left for writes
  std::size_t longest_write = std::numeric_limits<std::size_t>::max();   // then a write is short
  bool read_only = false;                                                // nothing can be created
  bool truncate_fails = false;
  bool sync_fails = false;
  int writes = 0;  // counted: write calls that wrote, syncs
  int syncs = 0;
  // Steps are the calls that change something: writes, truncations, syncs,
  // creations, renames, removals. Before step `kill_at` the process dies.
  int steps = 0;
  int kill_at = -1;
  int flip_at_write = -1;  // a bit of that write goes wrong on its way

  void step() {
    if (steps++ == kill_at) (void)::raise(SIGKILL);
  }
};

class FaultyFile final : public DiskFile {
 public:
  FaultyFile(std::unique_ptr<DiskFile> file, Faults& faults)
      : file_(std::move(file)), faults_(faults) {}
  base::Result<std::size_t> write_at(std::uint64_t offset, std::string_view bytes) override {
    if (faults_.room_bytes == 0) return base::fail_errno(ENOSPC, "cannot write the log");
    faults_.step();
    const auto n = std::min({static_cast<std::uint64_t>(bytes.size()), faults_.room_bytes,
                             static_cast<std::uint64_t>(faults_.longest_write)});
    std::string part(bytes.substr(0, static_cast<std::size_t>(n)));
    if (faults_.writes == faults_.flip_at_write) part[part.size() / 2] ^= 1;
    const auto written = file_->write_at(offset, part);
    if (written) faults_.room_bytes -= *written;
    ++faults_.writes;
    return written;
  }
  base::Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) override {
    return file_->read_at(offset, out, n);
  }
  base::Result<void> truncate(std::uint64_t bytes) override {
    faults_.step();
    if (faults_.truncate_fails) return base::fail_errno(EIO, "cannot truncate the log");
    return file_->truncate(bytes);
  }
  base::Result<void> sync() override {
    faults_.step();
    ++faults_.syncs;
    if (faults_.sync_fails) return base::fail_errno(EIO, "cannot sync the log");
    return {};  // the tests' own speed
  }
  base::Result<DiskFileStatus> status() override { return file_->status(); }
  base::Result<void> lock() override { return file_->lock(); }

 private:
  std::unique_ptr<DiskFile> file_;
  Faults& faults_;
};

class FaultyDisk final : public Disk {
 public:
  Faults faults;

  base::Result<void> make_parents(const std::filesystem::path& path) override {
    if (faults.read_only) return refused();
    return system_disk().make_parents(path);
  }
  base::Result<void> make_dir(const std::filesystem::path& path) override {
    if (faults.read_only) return refused();
    return system_disk().make_dir(path);
  }
  base::Result<std::unique_ptr<DiskFile>> create(const std::filesystem::path& path) override {
    if (faults.read_only) return refused();
    faults.step();
    return wrap(system_disk().create(path));
  }
  base::Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& path) override {
    if (faults.read_only) return refused();
    return wrap(system_disk().open(path));
  }
  base::Result<std::unique_ptr<DiskFile>> open_to_read(const std::filesystem::path& path) override {
    return wrap(system_disk().open_to_read(path));
  }
  base::Result<void> rename(const std::filesystem::path& from,
                            const std::filesystem::path& to) override {
    if (faults.read_only) return refused();
    faults.step();
    return system_disk().rename(from, to);
  }
  base::Result<void> remove(const std::filesystem::path& path) override {
    if (faults.read_only) return refused();
    faults.step();
    return system_disk().remove(path);
  }
  base::Result<void> sync_dir(const std::filesystem::path&) override {
    faults.step();
    return {};  // the tests' own speed
  }

 private:
  static std::unexpected<base::Error> refused() {
    return base::fail_errno(EROFS, "cannot create the run's folder");
  }
  base::Result<std::unique_ptr<DiskFile>> wrap(base::Result<std::unique_ptr<DiskFile>> file) {
    if (!file) return file;
    return std::make_unique<FaultyFile>(std::move(*file), faults);
  }
};

}  // namespace flatout::store
