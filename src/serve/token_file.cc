#include "serve/token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/new_file.h"
#include "serve/guard.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kShortest = 20, kLongest = 128;

bool is_token(std::string_view text) {
  return text.size() >= kShortest && text.size() <= kLongest &&
         std::ranges::all_of(text, [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

}  // namespace

base::Result<std::string> kept_token(const std::filesystem::path& path) {
  // Not base::read_file: what may be read is asked of the file that is read.
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    const int error = errno;
    if (error != ENOENT)
      return base::fail_errno(error, "cannot read the token in " + path.string());
    const std::string token = new_token();
    if (auto kept = base::write_private_file(path, token + "\n"); !kept) {
      return std::unexpected(kept.error());
    }
    return token;
  }
  struct stat is{};
  if (::fstat(fd.get(), &is) != 0 || !S_ISREG(is.st_mode)) {
    return base::fail(base::ErrorCode::kInvalid, path.string() + " is no regular file");
  }
  // A group may read it: Prometheus runs as a user of its own.
  if ((is.st_mode & 0027) != 0 || is.st_uid != ::geteuid()) {
    return base::fail(base::ErrorCode::kInvalid, path.string() + " is open to others: chmod 600 " +
                                                     path.string() +
                                                     ", as the user who starts flatout ui");
  }
  char buffer[kLongest + 3];
  const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
  std::string_view token(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
  while (token.ends_with('\n') || token.ends_with('\r')) token.remove_suffix(1);
  if (!is_token(token)) {
    return base::fail(base::ErrorCode::kInvalid,
                      path.string() +
                          " holds no token, which is 20 to 128 letters, digits, - and "
                          "_: remove it, and flatout ui makes one");
  }
  return std::string(token);
}

}  // namespace flatout::serve
