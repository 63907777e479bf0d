#include "store/disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/file.h"

namespace flatout::store {
namespace {

using base::ErrorCode;
using base::Result;

// A copied file may carry any date; the wall clock is not held to more than 2096.
std::int64_t ns_of(const timespec& time) {
  constexpr std::int64_t kMostSeconds = 4'000'000'000;
  return std::clamp<std::int64_t>(time.tv_sec, -kMostSeconds, kMostSeconds) * 1'000'000'000 +
         time.tv_nsec;
}

class SystemFile final : public DiskFile {
 public:
  SystemFile(base::UniqueFd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}

  Result<std::size_t> write_at(std::uint64_t offset, std::string_view bytes) override {
    for (;;) {
      const ssize_t n = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return base::fail_errno(errno, "cannot write " + name_);
      if (n == 0 && !bytes.empty()) return base::fail_errno(ENOSPC, "cannot write " + name_);
      return static_cast<std::size_t>(n);
    }
  }

  Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) override {
    std::size_t done = 0;
    while (done < n) {
      const ssize_t got =
          ::pread(fd_.get(), out + done, n - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return base::fail_errno(errno, "cannot read " + name_);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Result<void> truncate(std::uint64_t bytes) override {
    if (::ftruncate(fd_.get(), static_cast<off_t>(bytes)) == 0) return {};
    return base::fail_errno(errno, "cannot truncate " + name_);
  }

  Result<void> sync() override {
    if (::fdatasync(fd_.get()) == 0) return {};
    return base::fail_errno(errno, "cannot sync " + name_);
  }

  Result<DiskFileStatus> status() override {
    struct stat st{};
    if (::fstat(fd_.get(), &st) != 0) return base::fail_errno(errno, "cannot stat " + name_);
    return DiskFileStatus{.bytes = static_cast<std::uint64_t>(st.st_size),
                          .changed_ns = ns_of(st.st_mtim)};
  }

  Result<void> lock() override {
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) return {};
    if (errno == EWOULDBLOCK) {
      return base::fail(ErrorCode::kExists, name_ + " is in use by another flatout");
    }
    const auto error = base::fail_errno(errno, "cannot lock " + name_);
    return base::fail(ErrorCode::kUnavailable, error.error().message);
  }

 private:
  base::UniqueFd fd_;
  std::string name_;
};

Result<std::unique_ptr<DiskFile>> open_with(const std::filesystem::path& path, int flags,
                                            const char* verb) {
  base::UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fd && errno == EEXIST) return base::fail(ErrorCode::kExists, path.string() + " exists");
  if (!fd) return base::fail_errno(errno, std::string("cannot ") + verb + " " + path.string());
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0 || !S_ISREG(st.st_mode)) {
    return base::fail(ErrorCode::kInvalid, path.string() + " is not a regular file");
  }
  return std::make_unique<SystemFile>(std::move(fd), path.string());
}

class SystemDisk final : public Disk {
 public:
  Result<void> make_parents(const std::filesystem::path& path) override {
    return base::make_private_dirs(path);
  }
  Result<void> make_dir(const std::filesystem::path& path) override {
    if (::mkdir(path.c_str(), 0700) == 0) return {};
    if (errno == EEXIST) return base::fail(ErrorCode::kExists, path.string() + " exists");
    return base::fail_errno(errno, "cannot create directory " + path.string());
  }
  Result<std::unique_ptr<DiskFile>> create(const std::filesystem::path& path) override {
    return open_with(path, O_RDWR | O_CREAT | O_EXCL, "create");
  }
  Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& path) override {
    return open_with(path, O_RDWR, "open");
  }
  Result<std::unique_ptr<DiskFile>> open_to_read(const std::filesystem::path& path) override {
    return open_with(path, O_RDONLY, "open");
  }
  Result<void> rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    return base::fail_errno(errno, "cannot rename " + from.string() + " to " + to.string());
  }
  Result<void> remove(const std::filesystem::path& path) override {
    if (::unlink(path.c_str()) == 0) return {};
    return base::fail_errno(errno, "cannot remove " + path.string());
  }
  Result<void> sync_dir(const std::filesystem::path& path) override {
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd && (::fsync(fd.get()) == 0 || errno == EINVAL || errno == ENOTSUP)) return {};
    return base::fail_errno(errno, "cannot sync " + path.string());
  }
};

}  // namespace

Disk& system_disk() {
  static SystemDisk disk;
  return disk;
}

}  // namespace flatout::store
