#include "nccl/old_cliques.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "core/config.h"
#include "nccl/shared_clique.h"

namespace simgpu::nccl {
namespace {

bool is_old(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  alignas(CliqueHeader) unsigned char bytes[sizeof(CliqueHeader)];
  const bool is_whole = read(file, bytes, sizeof bytes) == static_cast<ssize_t>(sizeof bytes);
  close(file);
  const auto* const header = reinterpret_cast<const CliqueHeader*>(bytes);
  return is_whole && header->rank_count > 0 && header->rank_count <= kMostRanks && is_over(*header);
}

}  // namespace

void remove_old_cliques() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(config().machine_folder, error)) {
    if (entry.path().filename().string().starts_with("nccl-") && is_old(entry.path())) {
      unlink(entry.path().c_str());
    }
  }
}

}  // namespace simgpu::nccl
