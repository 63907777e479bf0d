#include "data/source/tar_index.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "data/source/file_part.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::uint64_t kBlock = 512;
constexpr std::uint64_t kMostNameBytes = 64 << 10;  // of a long name, or of pax records
constexpr std::uint64_t kMostSize = std::uint64_t{1} << 62;

using Header = std::array<std::byte, kBlock>;

// A field of the header as text, up to its first zero.
std::string_view text(const Header& header, std::size_t offset, std::size_t size) {
  const auto* begin = reinterpret_cast<const char*>(header.data()) + offset;
  return {begin, ::strnlen(begin, size)};
}

// Octal digits among blanks, or GNU's binary number: first bit set, big end first.
std::optional<std::uint64_t> number(const Header& header, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  if ((std::to_integer<unsigned>(header[offset]) & 0x80U) != 0) {
    if ((std::to_integer<unsigned>(header[offset]) & 0x7fU) != 0)
      return std::nullopt;  // negative, or huge
    for (std::size_t i = 1; i < size; ++i) {
      if (value >= kMostSize >> 8U) return std::nullopt;
      value = value << 8U | std::to_integer<std::uint64_t>(header[offset + i]);
    }
    return value;
  }
  std::string_view digits = text(header, offset, size);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  for (const char digit : digits) {
    if (digit < '0' || digit > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(digit - '0');  // 12 digits at most
  }
  return value;
}

// The sum of the header's bytes, its own field taken as blanks. Some old writers summed signed
// bytes.
bool has_right_sum(const Header& header) {
  constexpr std::size_t kField = 148;
  std::int64_t sum = 0;
  std::int64_t as_signed = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool own = i >= kField && i < kField + 8;
    const auto byte = own ? 0x20U : std::to_integer<unsigned>(header[i]);
    sum += byte;
    as_signed += static_cast<std::int8_t>(byte);
  }
  const auto said = number(header, kField, 8);
  return said && (std::cmp_equal(*said, sum) || std::cmp_equal(*said, as_signed));
}

// "27 path=a/b.jpg\n" and so on: the value of the last record of that name.
std::optional<std::string_view> pax_value(std::string_view records, std::string_view key) {
  std::optional<std::string_view> found;
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, err] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    if (err != std::errc{} || length <= digits + 1 || length > records.size()) return found;
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    if (record.starts_with(key) && record.substr(key.size()).starts_with('=')) {
      found = record.substr(key.size() + 1);
    }
    records.remove_prefix(length);
  }
  return found;
}

class TarWalk {
 public:
  TarWalk(int fd, std::uint64_t size, const std::string& path)
      : fd_(fd), size_(size), path_(path) {}

  // False at the end.
  Result<bool> next(TarMember& out) {
    for (;;) {
      Header header;
      const auto got = read_at(fd_, at_, header, path_);
      if (!got) return std::unexpected(got.error());
      if (*got == 0 && at_ > size_) return corrupt("has lost the rest of the member before");
      if (*got == 0 || is_end(header, *got)) return false;
      if (*got < kBlock) return corrupt("ends within a header");
      if (!has_right_sum(header)) return corrupt("has no header of a member");
      auto taken = take(header, out);
      if (!taken || *taken) return taken;
    }
  }

 private:
  static bool is_end(const Header& header, std::size_t got) {
    return std::all_of(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(got),
                       [](std::byte byte) { return byte == std::byte{0}; });
  }

  std::unexpected<base::Error> corrupt(const std::string& what) const {
    return base::fail(ErrorCode::kCorrupt, path_ + ": at byte " + std::to_string(at_) + " it " +
                                               what + "; is it a tar file, and complete?");
  }

  // Whether `out` is a member; otherwise the header was about one that follows, or is of no
  // interest.
  Result<bool> take(const Header& header, TarMember& out) {
    auto size = number(header, 124, 12);
    const char type = static_cast<char>(header[156]);
    const bool is_pax = type == 'x' || type == 'X';  // Solaris writes the second
    const bool is_about_next = type == 'L' || is_pax || type == 'g' || type == 'K';
    if (size && !is_about_next && pax_size_) size = std::exchange(pax_size_, std::nullopt);
    const std::uint64_t begin = at_ + kBlock;
    if (!size || *size > kMostSize) return corrupt("has a member without a size");
    if (has_content(type) && (begin > size_ || *size > size_ - begin))
      return corrupt("has a member that is cut off");
    at_ = begin + (has_content(type) ? (*size + kBlock - 1) / kBlock * kBlock : 0);
    if (type == 'L' || is_pax) {
      if (auto read = read_about_next(type, begin, *size); !read)
        return std::unexpected(read.error());
      return false;
    }
    if (is_about_next) return false;
    out.name = long_name_.empty() ? name_in(header) : std::exchange(long_name_, {});
    long_name_.clear();
    out.offset = begin;
    out.size = *size;
    const bool is_sparse = std::exchange(pax_sparse_, false) || type == 'S';
    const bool is_link = type == '1' || type == '2';
    out.kind = is_link     ? TarMember::Kind::kLink
               : is_sparse ? TarMember::Kind::kSparse
                           : TarMember::Kind::kFile;
    const bool is_file = type == '0' || type == '\0' || type == '7' || type == 'S';
    return (is_file || is_link) && !out.name.ends_with('/');
  }

  // Links, devices and folders have none, whatever their size field says.
  static bool has_content(char type) { return type < '1' || type > '6'; }

  static std::string name_in(const Header& header) {
    std::string name(text(header, 0, 100));
    const std::string_view prefix = text(header, 345, 155);
    // Old GNU headers ("ustar  ") have other things there.
    const bool posix = text(header, 257, 6) == "ustar";
    return posix && !prefix.empty() ? std::string(prefix) + "/" + name : name;
  }

  Result<void> read_about_next(char type, std::uint64_t begin, std::uint64_t size) {
    if (size > kMostNameBytes) return corrupt("has a name of more than 64 KiB");
    std::string content(size, '\0');
    const auto got = read_at(fd_, begin, std::as_writable_bytes(std::span(content)), path_);
    if (!got) return std::unexpected(got.error());
    content.resize(*got);
    if (type == 'L') {
      long_name_ = content.substr(0, content.find('\0'));
      return {};
    }
    if (const auto path = pax_value(content, "path")) {
      long_name_ = std::string(*path);
      long_name_.resize(long_name_.find_last_not_of('/') + 1);  // as Python's tarfile does
    }
    if (const auto own = pax_value(content, "GNU.sparse.name")) long_name_ = std::string(*own);
    pax_sparse_ = content.contains(" GNU.sparse.");
    if (const auto large = pax_value(content, "size")) {
      std::uint64_t value = 0;
      const auto [end, err] = std::from_chars(large->data(), large->data() + large->size(), value);
      if (err != std::errc{} || end != large->data() + large->size())
        return corrupt("has a member without a size");
      pax_size_ = value;
    }
    return {};
  }

  int fd_;
  std::uint64_t size_;
  const std::string& path_;
  std::uint64_t at_ = 0;
  std::string long_name_;  // of the member that follows; "" where its own header says it
  std::optional<std::uint64_t> pax_size_;
  bool pax_sparse_ = false;
};

}  // namespace

Result<void> read_tar_index(const std::string& path,
                            const std::function<Result<void>(int fd, const TarMember&)>& each,
                            const std::string& name) {
  const std::string& said = name.empty() ? path : name;
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return fail_file(errno, path);
  struct stat facts{};
  if (::fstat(file.get(), &facts) != 0) return fail_file(errno, path);
  if (!S_ISREG(facts.st_mode))
    return base::fail(ErrorCode::kInvalid, path + ": not a regular file");
  TarWalk walk(file.get(), static_cast<std::uint64_t>(facts.st_size), said);
  TarMember member;
  for (;;) {
    const auto more = walk.next(member);
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
    if (auto done = each(file.get(), member); !done) return done;
  }
}

}  // namespace flatout::data
