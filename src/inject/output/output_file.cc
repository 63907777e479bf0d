#include "inject/output/output_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "inject/process_state.h"

namespace flatout::inject {
namespace {

constexpr std::int64_t kRetryNs = 1'000'000'000;
constexpr int kHighFd = 512;        // where a program that counts its descriptors does not look
constexpr int kMostNumber = 99999;  // of a segment

// Decimal digits before `end`; returns where they begin.
char* digits_before(char* end, std::uint64_t value) {
  do {
    *--end = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return end;
}

class Words {
 public:
  void add(const char* text, std::size_t bytes) {
    if (used_ + bytes > sizeof text_) return;
    std::memcpy(text_ + used_, text, bytes);
    used_ += bytes;
  }
  void add(const char* text) { add(text, std::strlen(text)); }
  void add(std::uint64_t number) {
    char digits[20];
    char* from = digits_before(digits + sizeof digits, number);
    add(from, static_cast<std::size_t>(digits + sizeof digits - from));
  }
  const char* text() {
    text_[used_ < sizeof text_ ? used_ : sizeof text_ - 1] = '\0';
    return text_;
  }
  std::size_t size() const { return used_; }

 private:
  char text_[3200];
  std::size_t used_ = 0;
};

// A program may have set a limit beyond which a write would end it by SIGXFSZ.
std::uint64_t most_file_bytes() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

// What the program finds in errno is its own.
class KeptErrno {
 public:
  KeptErrno() : was_(errno) {}
  ~KeptErrno() { errno = was_; }

 private:
  int was_;
};

}  // namespace

bool OutputFile::open(const char* folder, std::uint64_t segment_bytes) {
  const std::size_t bytes = std::strlen(folder);
  if (bytes == 0 || bytes >= sizeof folder_) return false;
  if (std::strcmp(folder_, folder) == 0 && fd_ >= 0) return true;
  forget();
  std::memcpy(folder_, folder, bytes + 1);
  segment_bytes_ = segment_bytes;
  return true;
}

void OutputFile::forget() {
  const KeptErrno kept;
  if (fd_ >= 0 && is_ours()) ::close(fd_);
  fd_ = first_ = current_ = -1;
  size_ = 0;
  left_out_ = said_ = {};
  all_lost_lines_ = 0;
  retry_ns_ = 0;
  tail_open_ = false;
}

// A program may close all descriptors that it does not know, and open its own in their place.
bool OutputFile::is_ours() {
  struct stat st{};
  return ::fstat(fd_, &st) == 0 && st.st_dev == device_ && st.st_ino == inode_;
}

bool OutputFile::reach_folder() {
  if (::mkdir(folder_, 0700) == 0 || errno == EEXIST) return true;
  return false;
}

void OutputFile::drop_old_segment() {
  const int old = current_ - (kSegments - 1);
  if (old <= first_) return;
  Words path;
  path.add(folder_);
  path.add("/");
  path.add(static_cast<std::uint64_t>(::getpid()));
  path.add(".");
  path.add(static_cast<std::uint64_t>(old));
  path.add(".txt");
  if (::unlink(path.text()) != 0) return;
  left_out_.lines += in_[old % kSegments].lines;
  left_out_.bytes += in_[old % kSegments].bytes;
}

bool OutputFile::next_segment() {
  if (!reach_folder()) return false;
  for (int number = current_ + 1; number <= kMostNumber; ++number) {
    Words path;
    path.add(folder_);
    path.add("/");
    path.add(static_cast<std::uint64_t>(::getpid()));
    path.add(".");
    path.add(static_cast<std::uint64_t>(number));
    path.add(".txt");
    const int low = ::open(path.text(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (low < 0 && errno == EEXIST) continue;  // of the program that this process was before exec()
    if (low < 0) return false;
    const int high = ::fcntl(low, F_DUPFD_CLOEXEC, kHighFd);
    if (high >= 0) ::close(low);
    const int fd = high >= 0 ? high : low;
    struct stat st{};
    if (::fstat(fd, &st) != 0) {
      ::close(fd);
      return false;
    }
    if (fd_ >= 0 && is_ours()) ::close(fd_);
    fd_ = fd;
    device_ = st.st_dev;
    inode_ = st.st_ino;
    current_ = number;
    if (first_ < 0) first_ = number;
    size_ = 0;
    tail_open_ = false;
    drop_old_segment();
    in_[number % kSegments] = {};
    said_ = {};  // so that each file says it at its beginning
    return true;
  }
  return false;
}

// Whether so many bytes can go to the file.
bool OutputFile::ready(std::size_t bytes) {
  if (folder_[0] == '\0') return false;
  if (retry_ns_ != 0 && now_ns() < retry_ns_) return false;
  retry_ns_ = 0;
  const std::uint64_t limit = most_file_bytes();
  const std::uint64_t most = limit < segment_bytes_ ? limit : segment_bytes_;
  const bool usable = fd_ >= 0 && size_ + bytes <= most && is_ours();
  if (usable || (bytes <= most && next_segment())) return true;
  retry_ns_ = now_ns() + kRetryNs;
  return false;
}

bool OutputFile::write_all(const void* header, std::size_t header_bytes, const char* text,
                           std::size_t bytes, char end) {
  iovec parts[3] = {{const_cast<void*>(header), header_bytes},
                    {const_cast<char*>(text), bytes},
                    {&end, end == '\0' ? 0U : 1U}};
  const std::size_t all = header_bytes + bytes + parts[2].iov_len;
  ssize_t done = 0;
  do {
    done = ::writev(fd_, parts, 3);
  } while (done < 0 && errno == EINTR);
  if (done > 0) size_ += static_cast<std::size_t>(done);
  if (done == static_cast<ssize_t>(all)) {
    tail_open_ = end == '\0';
    return true;
  }
  if (done > 0) tail_open_ = true;  // half a record, which the next one closes
  retry_ns_ = now_ns() + kRetryNs;
  return false;
}

void OutputFile::lose(std::uint64_t bytes) {
  ++left_out_.lines;
  left_out_.bytes += bytes;
  ++all_lost_lines_;
}

// How much is not there, as far as it is known by now.
void OutputFile::say_left_out() {
  if (left_out_.lines == said_.lines) return;
  Words record;
  if (tail_open_) record.add("\r");
  record.add(static_cast<std::uint64_t>(++last_ns_));
  record.add("\t-\t");
  record.add(left_out_.lines);
  record.add(" ");
  record.add(left_out_.bytes);
  if (write_all(record.text(), record.size(), "", 0, '\n')) said_ = left_out_;
}

bool OutputFile::begin(std::int64_t t_ns, char tag, const char* text, std::size_t bytes, char end,
                       const void* owner) {
  const KeptErrno kept;
  owner_ = nullptr;
  if (!ready(bytes + 160)) {
    lose(bytes);
    return false;
  }
  if (t_ns <= last_ns_) t_ns = last_ns_ + 1;
  last_ns_ = t_ns;
  if (left_out_.lines != said_.lines) {
    say_left_out();
    t_ns = t_ns <= last_ns_ ? last_ns_ + 1 : t_ns;
    last_ns_ = t_ns;
  }
  char header[40];
  char* const tail = header + 24;
  char* from = digits_before(tail, static_cast<std::uint64_t>(t_ns));
  tail[0] = '\t';
  tail[1] = tag;
  tail[2] = '\t';
  if (tail_open_) *--from = '\r';
  if (!write_all(from, static_cast<std::size_t>(tail + 3 - from), text, bytes, end)) {
    lose(bytes);
    return false;
  }
  owner_ = owner;
  ++in_[current_ % kSegments].lines;
  in_[current_ % kSegments].bytes += bytes;
  return true;
}

bool OutputFile::append(const void* owner, const char* text, std::size_t bytes, char end) {
  const KeptErrno kept;
  if (owner_ == owner && bytes == 0 && end == '\0') return true;
  if (owner_ != owner || !tail_open_ || fd_ < 0 || retry_ns_ != 0) return false;
  const std::uint64_t limit = most_file_bytes();
  // A line that is begun is ended here, even a little beyond the segment's size.
  if (size_ + bytes + 1 > (limit < 2 * segment_bytes_ ? limit : 2 * segment_bytes_)) return false;
  if (!is_ours()) {
    fd_ = -1;
    tail_open_ = false;
    return false;
  }
  if (!write_all(nullptr, 0, text, bytes, end)) return false;
  in_[current_ % kSegments].bytes += bytes;
  return true;
}

}  // namespace flatout::inject
