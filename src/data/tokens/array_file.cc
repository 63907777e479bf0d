#include "data/tokens/array_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "data/source/file_part.h"
#include "data/tokens/npy_header.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

namespace {

// Not to be held up by a pipe.
base::UniqueFd open_file(const std::string& path) {
  return base::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

}  // namespace

Result<ArrayFile> ArrayFile::open(const std::string& path, const ArrayFileOptions& options) {
  ArrayFile out;
  out.path_ = path;
  out.file_ = open_file(path);
  if (!out.file_) return base::fail_errno(errno, path);
  struct stat facts{};
  if (::fstat(out.file_.get(), &facts) != 0) return base::fail_errno(errno, path);
  if (!S_ISREG(facts.st_mode))
    return base::fail(ErrorCode::kInvalid, path + ": not a regular file; name the file of numbers");
  auto taken = out.take_header(options, static_cast<std::uint64_t>(facts.st_size));
  if (!taken) return base::fail(taken.error().code, path + ": " + taken.error().message);
  out.device_ = facts.st_dev;
  out.inode_ = facts.st_ino;
  out.map_ = FileMap::of(out.file_.get(), out.end());
  return out;
}

Result<void> ArrayFile::take_header(const ArrayFileOptions& options, std::uint64_t file_bytes) {
  std::string start(
      static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes, kMostNpyHeaderBytes)), '\0');
  const auto got = read_at(file_.get(), 0, std::as_writable_bytes(std::span(start)), "read");
  if (!got) return std::unexpected(got.error());
  start.resize(*got);
  if (start.starts_with(kNpyMagic)) {
    auto header = parse_npy_header(start);
    if (!header) return std::unexpected(header.error());
    if (options.type && *options.type != header->type) {
      return base::fail(ErrorCode::kInvalid, std::string("it holds ") + name_of(header->type) +
                                                 ", not " + name_of(*options.type) +
                                                 " as was said; leave that out");
    }
    type_ = header->type;
    shape_ = std::move(header->shape);
    elements_ = header->elements;
    offset_ = header->data_offset;
    const auto bytes = static_cast<std::uint64_t>(elements_) * bytes_of(type_);
    if (file_bytes < offset_ || file_bytes - offset_ < bytes) {
      return base::fail(ErrorCode::kCorrupt, "it is cut off: its header names " +
                                                 std::to_string(bytes) +
                                                 " bytes of numbers; write it again");
    }
    return {};
  }
  if (!options.type) {
    return base::fail(ErrorCode::kInvalid,
                      "it is no .npy file; say the type of its numbers, as in \"uint16\"");
  }
  type_ = *options.type;
  offset_ = options.header_bytes;
  if (file_bytes <= offset_)
    return base::fail(ErrorCode::kCorrupt, "it has no numbers; write it again or leave it out");
  if ((file_bytes - offset_) % bytes_of(type_) != 0) {
    return base::fail(ErrorCode::kCorrupt, "its " + std::to_string(file_bytes - offset_) +
                                               " bytes are no whole number of " + name_of(type_) +
                                               "; it is cut off, or of another type");
  }
  elements_ = static_cast<std::int64_t>((file_bytes - offset_) / bytes_of(type_));
  shape_ = {elements_};
  return {};
}

Result<base::UniqueFd> ArrayFile::reopen() const {
  base::UniqueFd file = open_file(path_);
  struct stat facts{};
  if (!file || ::fstat(file.get(), &facts) != 0) return base::fail_errno(errno, path_);
  if (facts.st_dev == device_ && facts.st_ino == inode_) return file;
  return base::fail(ErrorCode::kIo, path_ + ": was replaced since it was opened; open it again");
}

Result<void> ArrayFile::read(std::int64_t first, std::span<std::byte> out) const {
  base::UniqueFd opened;
  if (!file_) {
    auto file = reopen();
    if (!file) return std::unexpected(file.error());
    opened = std::move(*file);
  }
  const std::uint64_t at = offset_ + static_cast<std::uint64_t>(first) * bytes_of(type_);
  const auto got = read_at(file_ ? file_.get() : opened.get(), at, out, path_);
  if (!got) return std::unexpected(got.error());
  if (*got == out.size()) return {};
  return base::fail(ErrorCode::kIo, path_ + ": became shorter since it was opened; write it again");
}

bool ArrayFile::as_mapped() const {
  if (!map_ || !map_->intact()) return false;
  struct stat facts{};
  if (file_ ? ::fstat(file_.get(), &facts) != 0 : ::stat(path_.c_str(), &facts) != 0) return false;
  return facts.st_ino == inode_ && facts.st_dev == device_ && facts.st_size >= 0 &&
         static_cast<std::uint64_t>(facts.st_size) >= end();
}

}  // namespace flatout::data
