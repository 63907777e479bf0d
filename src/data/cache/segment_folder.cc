#include "data/cache/segment_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "data/cache/segment_index.h"

namespace flatout::data::cache {
namespace {

using base::Result;

constexpr std::string_view kPrefix = "segment-";
constexpr std::string_view kIndexEnding = ".index";
constexpr std::size_t kDigits = 6;
constexpr std::uint32_t kMostNumber = 999'999;

std::string name_of(std::uint32_t number, const char* ending) {
  char text[40];
  std::snprintf(text, sizeof text, "segment-%06u%s", number, ending);
  return text;
}

std::optional<std::uint32_t> number_of(std::string_view name) {
  if (name.size() != kPrefix.size() + kDigits + kIndexEnding.size() || !name.starts_with(kPrefix) ||
      !name.ends_with(kIndexEnding))
    return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size(), kDigits);
  std::uint32_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc{} && read.ptr == digits.data() + digits.size() ? std::optional(number)
                                                                             : std::nullopt;
}

// Held as long as the object lives.
class Held {
 public:
  Held(int fd, int how) : fd_(fd) {
    do {
      held_ = ::flock(fd, how) == 0;
    } while (!held_ && errno == EINTR);
  }
  ~Held() {
    if (held_) ::flock(fd_, LOCK_UN);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  explicit operator bool() const { return held_; }

 private:
  int fd_;
  bool held_ = false;
};

Result<base::UniqueFd> open_lock(const std::filesystem::path& path) {
  base::UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file) return file;
  auto failed = base::fail_errno(errno, path.string());
  failed.error().message += "; the cache needs a folder that it can write";
  return failed;
}

Result<base::UniqueFd> make_file(const std::string& path) {
  base::UniqueFd file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return base::fail_errno(errno, path);
  return file;
}

enum class IndexFile : std::uint8_t { kWhole, kBegun, kForeign };

// kBegun: its writer was killed before the header was there.
IndexFile kind_of_index(const std::string& path) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  std::string header(kSegmentHeaderBytes, '\0');
  const ssize_t got = file ? ::pread(file.get(), header.data(), header.size(), 0) : -1;
  if (got < 0) return IndexFile::kForeign;
  header.resize(static_cast<std::size_t>(got));
  if (got == kSegmentHeaderBytes && is_segment_header(header)) return IndexFile::kWhole;
  const bool begun = got < std::ssize(segment_header()) && segment_header().starts_with(header);
  return begun ? IndexFile::kBegun : IndexFile::kForeign;
}

enum class Kind : std::uint8_t { kAbsent, kHole, kFile, kOther };

// kHole: an ordinary file into which nothing was written.
Kind kind_of(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return errno == ENOENT ? Kind::kAbsent : Kind::kOther;
  if (!S_ISREG(found.st_mode)) return Kind::kOther;
  return found.st_blocks == 0 ? Kind::kHole : Kind::kFile;
}

std::uint64_t taken_by(const SegmentFacts& segment) {
  return std::max(segment.room_bytes, segment.data_bytes + segment.index_bytes);
}

}  // namespace

Result<SegmentFolder> SegmentFolder::open(std::filesystem::path path, std::uint64_t budget_bytes) {
  if (auto made = base::make_private_dirs(path); !made) return std::unexpected(made.error());
  SegmentFolder out(std::move(path), budget_bytes);
  auto lock = open_lock(out.path_ / "lock");
  if (!lock) return std::unexpected(lock.error());
  auto users = open_lock(out.path_ / "users");
  if (!users) return std::unexpected(users.error());
  out.lock_ = std::move(*lock);
  out.users_ = std::move(*users);
  const Held held(out.lock_.get(), LOCK_EX);
  if (!held) return base::fail_errno(errno, (out.path_ / "lock").string());
  if (out.alone()) out.tidy();
  return out;
}

std::string SegmentFolder::data_path(std::uint32_t number) const {
  return path_ / name_of(number, ".data");
}

std::string SegmentFolder::index_path(std::uint32_t number) const {
  return path_ / name_of(number, ".index");
}

std::string SegmentFolder::room_path(std::uint32_t number) const {
  return path_ / name_of(number, ".room");
}

std::vector<SegmentFacts> SegmentFolder::segments() const {
  std::vector<SegmentFacts> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at(path_, error), end; !error && at != end;
       at.increment(error)) {
    const auto number = number_of(at->path().filename().string());
    struct stat index{};
    if (!number || ::lstat(at->path().c_str(), &index) != 0 || !S_ISREG(index.st_mode) ||
        kind_of_index(at->path()) == IndexFile::kForeign)
      continue;
    out.push_back(
        {.number = *number,
         .data_bytes = base::file_bytes(data_path(*number)),
         .index_bytes = static_cast<std::uint64_t>(index.st_size),
         .room_bytes = base::file_bytes(room_path(*number)),
         .used_ns = std::int64_t{index.st_mtim.tv_sec} * 1'000'000'000 + index.st_mtim.tv_nsec});
  }
  std::ranges::sort(out, {}, &SegmentFacts::number);
  return out;
}

// With `lock` held: nobody else then changes between these two kinds of holding it.
bool SegmentFolder::alone() const {
  const bool alone = ::flock(users_.get(), LOCK_EX | LOCK_NB) == 0;
  (void)::flock(users_.get(), LOCK_SH);
  return alone;
}

void SegmentFolder::tidy() const {
  for (const SegmentFacts& segment : segments()) {
    end_segment(segment.number);
    if (kind_of_index(index_path(segment.number)) == IndexFile::kBegun) remove(segment.number);
  }
}

void SegmentFolder::end_segment(std::uint32_t number) const { ::unlink(room_path(number).c_str()); }

void SegmentFolder::remove(std::uint32_t number) const {
  ::unlink(index_path(number).c_str());
  ::unlink(data_path(number).c_str());
  ::unlink(room_path(number).c_str());
}

// What of the budget is left when as much was removed as had to be, and may be.
std::uint64_t SegmentFolder::make_room(std::uint64_t bytes,
                                       const std::function<bool(std::uint32_t)>& removable,
                                       const std::function<void(std::uint32_t)>& removed) const {
  auto all = segments();
  std::uint64_t taken = 0;
  for (const SegmentFacts& segment : all) taken += taken_by(segment);
  const auto left = [&] { return taken < budget_bytes_ ? budget_bytes_ - taken : 0; };
  if (left() >= bytes || bytes > budget_bytes_ || !alone()) return left();
  std::ranges::sort(all, {}, &SegmentFacts::used_ns);
  for (const SegmentFacts& segment : all) {
    if (left() >= bytes) break;
    if (!removable(segment.number)) continue;
    remove(segment.number);
    removed(segment.number);
    taken -= taken_by(segment);
  }
  return left();
}

Result<std::optional<NewSegment>> SegmentFolder::begin_segment(
    std::uint64_t bytes, std::uint64_t wanted, const std::function<bool(std::uint32_t)>& removable,
    const std::function<void(std::uint32_t)>& removed) {
  const Held held(lock_.get(), LOCK_EX | LOCK_NB);
  if (!held) return std::nullopt;
  const std::uint64_t left = make_room(bytes, removable, removed);
  if (left < bytes) return std::nullopt;
  const auto there = segments();
  std::uint32_t number = there.empty() ? 0 : there.back().number + 1;
  while (number <= kMostNumber && !is_free(number)) ++number;
  if (number > kMostNumber) return std::nullopt;
  auto made = make(number, std::min(left, std::max(bytes, wanted)));
  if (!made) return std::unexpected(made.error());
  return std::optional(std::move(*made));
}

// Nothing stands there, or what a loader left that was killed before there was an index: the room
// that it had claimed, and data beside that. All else is somebody's own.
bool SegmentFolder::is_free(std::uint32_t number) const {
  const Kind room = kind_of(room_path(number));
  const Kind data = kind_of(data_path(number));
  const bool left_behind = room == Kind::kHole && (data == Kind::kFile || data == Kind::kHole);
  return kind_of(index_path(number)) == Kind::kAbsent &&
         (room == Kind::kAbsent || room == Kind::kHole) && (data == Kind::kAbsent || left_behind);
}

// The index last: others look for that.
Result<NewSegment> SegmentFolder::make(std::uint32_t number, std::uint64_t may_have) const {
  ::unlink(data_path(number).c_str());  // see is_free
  ::unlink(room_path(number).c_str());
  auto room = make_file(room_path(number));
  if (!room) return std::unexpected(room.error());
  if (::ftruncate(room->get(), static_cast<off_t>(may_have)) != 0)
    return base::fail_errno(errno, room_path(number));
  auto data = make_file(data_path(number));
  if (!data) return std::unexpected(data.error());
  auto index = make_file(index_path(number));
  if (!index) return std::unexpected(index.error());
  if (auto done = base::write_all(index->get(), segment_header(), index_path(number)); !done)
    return std::unexpected(done.error());
  return NewSegment{number, std::move(*data), std::move(*index), may_have};
}

void SegmentFolder::mark_used(std::uint32_t number) const {
  (void)::utimensat(AT_FDCWD, index_path(number).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

}  // namespace flatout::data::cache
