#include "trial/reads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListBytesMax = 32U << 20;

}  // namespace

TrialReads take_trial_reads(const fs::path& list) {
  TrialReads out;
  const auto text = base::read_file(list, kListBytesMax);
  std::error_code ignored;  // told twice is as good
  fs::remove(list, ignored);
  if (!text) return out;
  std::set<std::pair<dev_t, ino_t>> met;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    struct stat found{};
    if (!line.starts_with('/') || ::stat(line.c_str(), &found) != 0) continue;
    // Those that the kernel makes up, as in /proc, have no size.
    if (!S_ISREG(found.st_mode) || found.st_size == 0 ||
        !met.emplace(found.st_dev, found.st_ino).second)
      continue;
    out.bytes += static_cast<std::uint64_t>(found.st_size);
    out.paths.insert(std::move(line));
  }
  return out;
}

std::size_t drop_from_page_cache(const TrialReads& reads) {
  std::size_t asked = 0;
  for (const std::string& path : reads.paths) {
    const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file && ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) == 0) ++asked;
  }
  return asked;
}

}  // namespace flatout::trial
