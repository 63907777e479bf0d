#include "data/source/file_list.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "data/source/file_part.h"

namespace flatout::data {
using base::ErrorCode;

FileList::FileList(std::string root) : root_(std::move(root)) {
  if (!root_.empty() && root_.back() != '/') root_ += '/';
}

void FileList::reserve(std::uint64_t samples, std::uint64_t path_bytes) {
  paths_.reserve(paths_.size() + path_bytes);
  ends_.reserve(ends_.size() + samples);
  labels_.reserve(labels_.size() + samples);
}

std::size_t FileList::memory_bytes() const {
  return paths_.capacity() + ends_.capacity() * sizeof ends_[0] +
         labels_.capacity() * sizeof labels_[0];
}

void FileList::add(std::string_view path, std::int64_t label) {
  paths_ += path;
  ends_.push_back(paths_.size());
  labels_.push_back(label);
}

std::string FileList::short_name(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  const std::uint64_t begin = at == 0 ? 0 : ends_[at - 1];
  return paths_.substr(begin, ends_[at] - begin);
}

base::Result<std::span<const std::byte>> FileList::read(std::int64_t index,
                                                        ReadBuffer& buffer) const {
  const std::string path = name(index);
  // Not to be held up by a pipe that has a picture's name.
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return fail_file(errno, path);
  struct stat facts{};
  if (::fstat(file.get(), &facts) != 0) return fail_file(errno, path);
  if (!S_ISREG(facts.st_mode))
    return base::fail(ErrorCode::kInvalid,
                      path + ": not a regular file; remove it or leave it out of the list");
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0)
    return base::fail(ErrorCode::kCorrupt,
                      path + ": the file is empty; write it again or remove it");
  if (size > kMaxBytes) {
    return base::fail(ErrorCode::kTooLarge, path + ": " + std::to_string(size) +
                                                " bytes are more than a sample may have (" +
                                                std::to_string(kMaxBytes) + ")");
  }
  const auto room = buffer.room(size);
  const auto got = read_at(file.get(), 0, room, path);
  if (!got) return std::unexpected(got.error());
  if (*got < size) return base::fail(ErrorCode::kIo, path + ": became shorter while it was read");
  return room;
}

std::optional<SampleVersion> FileList::version(std::int64_t index) const {
  return version_in(name(index));
}

}  // namespace flatout::data
