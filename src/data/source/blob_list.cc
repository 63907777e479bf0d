#include "data/source/blob_list.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "data/source/file_list.h"
#include "data/source/file_part.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

// Not to be held up by a pipe.
int open_listed(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

Result<base::UniqueFd> open_regular(const std::string& path) {
  base::UniqueFd file(open_listed(path));
  struct stat facts{};
  if (!file || ::fstat(file.get(), &facts) != 0) return fail_file(errno, path);
  if (S_ISREG(facts.st_mode)) return file;
  return base::fail(ErrorCode::kInvalid, path + ": not a regular file; leave it out of the list");
}

}  // namespace

Result<std::unique_ptr<BlobList>> BlobList::open(std::vector<std::string> paths,
                                                 std::span<const Blob> blobs,
                                                 std::span<const std::int64_t> labels) {
  std::unique_ptr<BlobList> out(new BlobList);
  out->paths_ = std::move(paths);
  if (out->paths_.size() > std::numeric_limits<std::uint32_t>::max())
    return base::fail(ErrorCode::kTooLarge, "more than 2^32 files");
  for (const std::string& path : out->paths_) {
    auto file = open_regular(path);
    if (!file) return std::unexpected(file.error());
    if (out->paths_.size() <= kMostOpenFiles) out->files_.push_back(std::move(*file));
  }
  out->places_.reserve(blobs.size());
  for (const Blob& blob : blobs) {
    if (auto done = out->add(blob); !done) return std::unexpected(done.error());
  }
  out->labels_.assign(labels.begin(), labels.end());
  return out;
}

Result<void> BlobList::add(const Blob& blob) {
  const auto wrong = [&](ErrorCode code, const std::string& what) {
    return base::fail(code, "sample " + std::to_string(places_.size()) + what);
  };
  if (blob.file < 0 || std::cmp_greater_equal(blob.file, paths_.size())) {
    return wrong(ErrorCode::kInvalid, " is in file " + std::to_string(blob.file) + " of only " +
                                          std::to_string(paths_.size()));
  }
  if (blob.offset < 0 || blob.length < 0) {
    return wrong(ErrorCode::kInvalid, " has " + std::to_string(blob.length) +
                                          " bytes that begin at byte " +
                                          std::to_string(blob.offset));
  }
  if (std::cmp_greater(blob.length, FileList::kMaxBytes)) {
    return wrong(ErrorCode::kTooLarge,
                 ": " + std::to_string(blob.length) + " bytes are more than a sample may have");
  }
  places_.push_back({static_cast<std::uint64_t>(blob.offset), static_cast<std::uint32_t>(blob.file),
                     static_cast<std::uint32_t>(blob.length)});
  return {};
}

std::string BlobList::name(std::int64_t index) const {
  const Place& place = places_[static_cast<std::size_t>(index)];
  return paths_[place.file] + ": byte " + std::to_string(place.offset);
}

Result<std::span<const std::byte>> BlobList::read(std::int64_t index, ReadBuffer& buffer) const {
  const Place& place = places_[static_cast<std::size_t>(index)];
  if (place.length == 0)
    return base::fail(ErrorCode::kCorrupt, name(index) + ": the sample has no bytes");
  const std::string& path = paths_[place.file];
  const base::UniqueFd opened(files_.empty() ? open_listed(path) : -1);
  const int fd = files_.empty() ? opened.get() : files_[place.file].get();
  if (fd < 0) return fail_file(errno, path);
  const auto room = buffer.room(place.length);
  const auto got = read_at(fd, place.offset, room, path);
  if (!got)
    return base::fail(got.error().code,
                      "byte " + std::to_string(place.offset) + ": " + got.error().message);
  if (*got == room.size()) return room;
  return base::fail(ErrorCode::kCorrupt, name(index) + ": the file ends at byte " +
                                             std::to_string(place.offset + *got) + ", within the " +
                                             std::to_string(place.length) +
                                             " bytes of the sample; copy it again");
}

}  // namespace flatout::data
