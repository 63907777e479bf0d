#include "collect/procfs/shm_source.h"

#include <sys/statfs.h>

#include <utility>

namespace flatout::collect {
namespace {
constexpr decltype(std::declval<struct statfs>().f_type) kTmpfs = 0x01021994;  // linux/magic.h
}

std::optional<FileSystemSpace> tmpfs_space(const std::filesystem::path& path) {
  struct statfs found{};
  if (::statfs(path.c_str(), &found) != 0 || found.f_type != kTmpfs) return std::nullopt;
  if (found.f_blocks == 0 || found.f_bfree > found.f_blocks) return std::nullopt;
  const auto block = static_cast<std::uint64_t>(found.f_bsize);
  return FileSystemSpace{.size_bytes = found.f_blocks * block,
                         .used_bytes = (found.f_blocks - found.f_bfree) * block};
}

base::Result<void> ShmSource::sample(base::TimeNs now, run::SampleSink& out) {
  const auto space = read_(path_);
  if (!space) return {};
  const auto add = [&](run::Metric metric, std::uint64_t bytes) {
    out.add({.t_ns = now, .value = static_cast<double>(bytes), .metric = metric});
  };
  add(run::Metric::kHostShmUsed, space->used_bytes);
  add(run::Metric::kHostShmSize, space->size_bytes);
  return {};
}

}  // namespace flatout::collect
