#include "data/source/unpack_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "data/source/shard_layout.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::string_view kEnding = ".unpacked";
constexpr std::string_view kPartEnding = ".part";
constexpr std::uint64_t kClaimBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kClaimsOfBudget = 64;  // fewer bytes at a time of a small budget
constexpr std::size_t kHashDigits = 16;

std::string hash_text(std::span<const std::byte> bytes) {
  std::array<char, kHashDigits + 1> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(checksum_of(bytes)));
  return text.data();
}

std::string name_of(const SampleVersion& version) {
  const std::array<std::uint64_t, 2> facts{version.file_bytes,
                                           static_cast<std::uint64_t>(version.modified_ns)};
  return hash_text(std::as_bytes(std::span(version.file))) + "-" +
         hash_text(std::as_bytes(std::span(facts)));
}

bool hold(int fd, int how) {
  for (;;) {
    if (::flock(fd, how) == 0) return true;
    if (errno != EINTR) return false;
  }
}

bool is_same_file(int fd, const std::string& path) {
  struct stat open{};
  struct stat named{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

std::string mib_text(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

}  // namespace

Result<UnpackFolder> UnpackFolder::open(const std::filesystem::path& path,
                                        std::uint64_t budget_bytes) {
  if (auto made = base::make_private_dirs(path); !made) return std::unexpected(made.error());
  const std::string lock_path = path / "lock";
  base::UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return base::fail_errno(errno, lock_path);
  return UnpackFolder(path, budget_bytes, std::move(lock));
}

Result<UnpackFolder::Copy> UnpackFolder::take(const SampleVersion& version) const {
  Copy out(*this, path_ / (name_of(version) + std::string(kEnding)));
  const std::string part = out.part_path();
  for (;;) {
    if (base::file_bytes(out.path_) > 0) return out;
    base::UniqueFd file(::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || !hold(file.get(), LOCK_EX)) return base::fail_errno(errno, part);
    // Who held it before has finished it, or given up: both take its name away.
    if (!is_same_file(file.get(), part)) continue;
    // What a killed one left of it.
    if (::ftruncate(file.get(), 0) != 0) return base::fail_errno(errno, part);
    out.part_ = std::move(file);
    remove_outdated(std::filesystem::path(out.path_).stem());
    return out;
  }
}

std::string UnpackFolder::Copy::part_path() const {
  return path_.substr(0, path_.size() - kEnding.size()) + std::string(kPartEnding);
}

UnpackFolder::Copy::~Copy() {
  if (!part_) return;
  ::unlink(part_path().c_str());
  ::flock(part_.get(), LOCK_UN);  // a child of fork() may still have it open
}

Result<void> UnpackFolder::Copy::append(std::span<const std::byte> bytes, const std::string& of) {
  if (bytes_ + bytes.size() > claimed_) {
    const auto claimed = folder_->claim(part_.get(), claimed_, bytes_ + bytes.size(), of);
    if (!claimed) return std::unexpected(claimed.error());
    claimed_ = *claimed;
  }
  while (!bytes.empty()) {
    const ssize_t done =
        ::pwrite(part_.get(), bytes.data(), bytes.size(), static_cast<off_t>(bytes_));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return base::fail_errno(errno, of + ": unpacked to " + part_path());
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    bytes_ += static_cast<std::uint64_t>(done);
  }
  return {};
}

// Written through before it has its name: after a power cut it is whole, or not there.
Result<void> UnpackFolder::Copy::finish() {
  const std::string part = part_path();
  if (::ftruncate(part_.get(), static_cast<off_t>(bytes_)) != 0 || ::fdatasync(part_.get()) != 0 ||
      ::rename(part.c_str(), path_.c_str()) != 0)
    return base::fail_errno(errno, part);
  ::flock(part_.get(), LOCK_UN);
  part_ = base::UniqueFd();
  return {};
}

// How much the part may then have. Its size stands for what is claimed, so that all who claim see
// it.
Result<std::uint64_t> UnpackFolder::claim(int part, std::uint64_t has, std::uint64_t needs,
                                          const std::string& of) const {
  if (!hold(lock_.get(), LOCK_EX)) return base::fail_errno(errno, path_ / "lock");
  const std::uint64_t all = taken();
  const std::uint64_t others = all - std::min(all, has);
  const std::uint64_t may_have = budget_bytes_ - std::min(budget_bytes_, others);
  // Several claim at once: what one does not need yet is not to be missed by the others.
  const std::uint64_t step = std::min(kClaimBytes, budget_bytes_ / kClaimsOfBudget);
  const std::uint64_t claimed = std::min(may_have, has + std::max(step, needs - has));
  auto done = Result<std::uint64_t>(claimed);
  if (claimed < needs) {
    done = base::fail(ErrorCode::kTooLarge,
                      of + ": unpacked it has more than the " + mib_text(may_have) +
                          " that are left of the " + mib_text(budget_bytes_) + " of " +
                          path_.string() + "; give it more, or remove from it what is of old sets");
  } else if (::ftruncate(part, static_cast<off_t>(claimed)) != 0) {
    done = base::fail_errno(errno, path_.string());
  }
  ::flock(lock_.get(), LOCK_UN);
  return done;
}

// By all copies, and parts that are being written. What killed writers left of others is removed.
std::uint64_t UnpackFolder::taken() const {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(path_, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(kEnding)) bytes += base::file_bytes(at->path());
    if (!name.ends_with(kPartEnding)) continue;
    const base::UniqueFd part(
        ::open(at->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    const bool left_behind = part && ::flock(part.get(), LOCK_EX | LOCK_NB) == 0;
    if (left_behind && is_same_file(part.get(), at->path())) ::unlink(at->path().c_str());
    if (left_behind) {
      ::flock(part.get(), LOCK_UN);
    } else {
      bytes += base::file_bytes(at->path());
    }
  }
  return bytes;
}

// Copies of the same path as it was before.
void UnpackFolder::remove_outdated(const std::string& kept) const {
  std::error_code error;
  for (std::filesystem::directory_iterator at(path_, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(kEnding) && !name.starts_with(kept) &&
        name.starts_with(kept.substr(0, kHashDigits + 1)))
      ::unlink(at->path().c_str());
  }
}

}  // namespace flatout::data
