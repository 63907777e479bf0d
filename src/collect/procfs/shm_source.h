// How full /dev/shm is, where loader workers hand their batches over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

struct FileSystemSpace {
  std::uint64_t size_bytes = 0;
  std::uint64_t used_bytes = 0;
};
// Absent where `path` is on no tmpfs (a directory on the disk says nothing of
// shared memory), or on one without a limit, which does not count its use either.
std::optional<FileSystemSpace> tmpfs_space(const std::filesystem::path& path);

class ShmSource final : public run::Source {
 public:
  using ReadSpace = std::function<std::optional<FileSystemSpace>(const std::filesystem::path&)>;
  explicit ShmSource(const host::Paths& paths, ReadSpace read = tmpfs_space)
      : path_(paths.root / "dev/shm"), read_(std::move(read)) {}
  std::string_view name() const override { return "shared memory"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;

 private:
  std::filesystem::path path_;
  ReadSpace read_;
};

}  // namespace flatout::collect
