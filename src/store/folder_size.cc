#include "store/folder_size.h"

#include <system_error>

namespace flatout::store {

namespace fs = std::filesystem;

std::uint64_t folder_bytes(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code ended;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, ended);
  for (; !ended && at != fs::recursive_directory_iterator(); at.increment(ended)) {
    std::error_code gone;
    if (at->symlink_status(gone).type() != fs::file_type::regular || gone) continue;
    const std::uintmax_t size = at->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace flatout::store
