#include "data/source/file_part.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace flatout::data {

std::unexpected<base::Error> fail_file(int err, std::string what) {
  auto out = base::fail_errno(err, std::move(what));
  if (err == EMFILE || err == ENFILE || err == ENOMEM)
    out.error().code = base::ErrorCode::kUnavailable;
  if (err == EMFILE) out.error().message += "; raise `ulimit -n`, or have fewer files open";
  return out;
}

base::Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> room,
                                  const std::string& path) {
  std::size_t done = 0;
  while (done < room.size()) {
    const ssize_t got =
        ::pread(fd, room.data() + done, room.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_file(errno, path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::optional<SampleVersion> version_in(const std::string& path, std::uint64_t offset,
                                        std::optional<std::uint64_t> bytes) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  if (error) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  return SampleVersion{
      .file = whole.string(),
      .file_bytes = size,
      .modified_ns = std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec,
      .offset = offset,
      .bytes = bytes.value_or(size)};
}

}  // namespace flatout::data
