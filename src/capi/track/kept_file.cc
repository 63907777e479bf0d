#include "capi/track/kept_file.h"

#include <fcntl.h>
#include <sha2.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace flatout::capi {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{16} << 30;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

// A write beyond the limit of a file's size would end the program by SIGXFSZ.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoSizeSignal() {
    const timespec now{};
    if (::sigismember(&before_, SIGXFSZ) == 0) {
      while (::sigtimedwait(&signal_, nullptr, &now) > 0) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t signal_{}, before_{};
};

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// A new file beside those that are kept, which becomes one of them or is removed.
class Growing {
 public:
  explicit Growing(const char* folder) : folder_(folder) {
    std::uint64_t drawn = 0;
    if (::getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) < 0) drawn = 0;
    const int bytes = std::snprintf(temporary_, sizeof temporary_, "%s/.%d.%016" PRIx64 ".tmp",
                                    folder, static_cast<int>(::getpid()), drawn);
    if (bytes < 0 || static_cast<std::size_t>(bytes) >= sizeof temporary_) {
      error_ = ENAMETOOLONG;
      return;
    }
    (void)::mkdir(folder, 0700);
    fd_ = ::open(temporary_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd_ < 0) error_ = errno;
    ::SHA256Init(&digest_);
  }
  ~Growing() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(temporary_);
  }
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;

  int error() const { return error_; }

  void add(const char* data, std::size_t bytes) {
    if (error_ != 0) return;
    ::SHA256Update(&digest_, reinterpret_cast<const std::uint8_t*>(data), bytes);
    size_ += static_cast<std::int64_t>(bytes);
    while (bytes > 0) {
      const ssize_t written = ::write(fd_, data, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        error_ = written < 0 ? errno : ENOSPC;
        return;
      }
      data += written;
      bytes -= static_cast<std::size_t>(written);
    }
  }

  KeptFile keep(const char* extension) {
    KeptFile out;
    out.error = error_;
    if (error_ != 0) return out;
    char hash[SHA256_DIGEST_STRING_LENGTH];
    ::SHA256End(&digest_, hash);
    (void)std::snprintf(out.name, sizeof out.name, "%s.%s", hash, extension);
    out.bytes = size_;
    char place[PATH_MAX + 128];
    (void)std::snprintf(place, sizeof place, "%s/%s", folder_, out.name);
    if (::access(place, F_OK) == 0) return out;
    if (::rename(temporary_, place) != 0) out.error = errno;
    return out;
  }

 private:
  const char* folder_;
  char temporary_[PATH_MAX] = "";
  int fd_ = -1;
  int error_ = 0;
  SHA2_CTX digest_{};
  std::int64_t size_ = 0;
};

// Small letters and digits of what follows the last point.
void take_extension(const char* path, char (&out)[16]) {
  const char* slash = std::strrchr(path, '/');
  const char* point = std::strrchr(slash == nullptr ? path : slash, '.');
  std::size_t size = 0;
  for (const char* at = point == nullptr ? "" : point + 1; *at != '\0' && size < 12; ++at) {
    const char small = *at >= 'A' && *at <= 'Z' ? static_cast<char>(*at - 'A' + 'a') : *at;
    if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9')) out[size++] = small;
  }
  std::memcpy(out + size, size == 0 ? "bin" : "", size == 0 ? 4 : 1);
}

KeptFile failed(int error) {
  KeptFile out;
  out.error = error;
  return out;
}

}  // namespace

KeptFile keep_file(const char* folder, const char* path) {
  const Fd in(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (in.get() < 0) return failed(errno);
  struct stat about{};
  if (::fstat(in.get(), &about) != 0) return failed(errno);
  if (!S_ISREG(about.st_mode)) return failed(EINVAL);
  if (about.st_size > kMostBytes) return failed(EFBIG);
  auto* piece = static_cast<char*>(std::malloc(kPieceBytes));
  if (piece == nullptr) return failed(ENOMEM);
  const NoSizeSignal quiet;
  Growing out(folder);
  ssize_t bytes = 0;
  int error = 0;
  // A file that grows while it is read ends somewhere, too.
  for (std::int64_t left = kMostBytes; out.error() == 0 && left > 0; left -= bytes) {
    bytes = ::read(in.get(), piece, kPieceBytes);
    if (bytes < 0 && errno == EINTR) {
      bytes = 0;
      continue;
    }
    if (bytes < 0) error = errno;
    if (bytes <= 0) break;
    out.add(piece, static_cast<std::size_t>(bytes));
  }
  std::free(piece);
  if (error != 0) return failed(error);
  char extension[16];
  take_extension(path, extension);
  return out.keep(extension);
}

KeptFile keep_json(const char* folder, const char* text, std::size_t bytes) {
  const NoSizeSignal quiet;
  Growing out(folder);
  out.add(text, bytes);
  return out.keep("json");
}

}  // namespace flatout::capi
