#include "data/source/tar_shards.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "data/source/file_list.h"
#include "data/source/file_part.h"
#include "data/source/tar_index.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::array<std::string_view, 8> kPictures = {"jpg", "jpeg", "png", "ppm",
                                                       "pgm", "pbm",  "pnm", "webp"};

// "7", "7\n".
Result<std::int64_t> read_label(int fd, const TarMember& member, const std::string& path) {
  std::array<char, 24> text{};
  const std::size_t size = std::min<std::size_t>(member.size, text.size());
  const auto got =
      read_at(fd, member.offset, std::as_writable_bytes(std::span(text)).first(size), path);
  if (!got) return std::unexpected(got.error());
  std::string_view digits(text.data(), *got);
  while (!digits.empty() &&
         (digits.back() == '\n' || digits.back() == '\r' || digits.back() == ' '))
    digits.remove_suffix(1);
  std::int64_t label = 0;
  const auto [end, err] = std::from_chars(digits.data(), digits.data() + digits.size(), label);
  if (err == std::errc{} && end == digits.data() + digits.size() && !digits.empty()) return label;
  return base::fail(ErrorCode::kInvalid,
                    path + ": " + member.name + " is no whole number; a label is one");
}

bool is_picture(std::string_view part) {
  return std::ranges::find(kPictures, part) != kPictures.end();
}

// WebDataset's own notes: "__meta__/...".
bool is_note(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('/'));
  return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

Result<void> check_is_file(const TarMember& member, const std::string& path) {
  if (member.kind == TarMember::Kind::kFile) return {};
  const bool link = member.kind == TarMember::Kind::kLink;
  return base::fail(ErrorCode::kInvalid,
                    path + ": " + member.name +
                        (link ? " is a link, which is not followed; write the shard with tar "
                                "--dereference --hard-dereference"
                              : " is a sparse file; write the shard without tar --sparse"));
}

}  // namespace

TarName split_tar_name(std::string_view name) {
  const auto slash = name.rfind('/');
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  const auto dot = name.find('.', begin);
  if (dot == std::string_view::npos || dot == begin || is_note(name)) return {name, {}};
  return {name.substr(0, dot), base::lowered(name.substr(dot + 1))};
}

struct TarShards::Open {
  std::string key;
  std::vector<std::string> parts;  // that came already
  std::string labelled;            // the name of its cls member
  std::string picture;             // the member's name; "" while there is none
  Place place{};
  std::int64_t label = 0;
};

Result<std::unique_ptr<TarShards>> TarShards::open(std::vector<std::string> paths,
                                                   const UnpackOptions& unpack) {
  std::unique_ptr<TarShards> out(new TarShards(std::move(paths)));
  if (out->paths_.size() > std::numeric_limits<std::uint32_t>::max())
    return base::fail(ErrorCode::kTooLarge, "more than 2^32 shards");
  auto files = unpacked_files(out->paths_, unpack);
  if (!files) return std::unexpected(files.error());
  out->files_ = std::move(*files);
  for (std::size_t shard = 0; shard < out->paths_.size(); ++shard) {
    if (auto done = out->add_shard(shard); !done) return std::unexpected(done.error());
  }
  out->places_.shrink_to_fit();
  out->labels_.shrink_to_fit();
  out->names_.shrink_to_fit();
  out->ends_.shrink_to_fit();
  if (out->size() > 0) return out;
  return base::fail(
      ErrorCode::kNotFound,
      (out->paths_.empty()
           ? std::string("no shard was named")
           : out->paths_[0] +
                 ": no sample with a picture (.jpg, ...) in it, nor in the other shards"));
}

Result<void> TarShards::add_shard(std::size_t shard) {
  Open open;
  auto done = read_tar_index(
      files_[shard], [&](int fd, const TarMember& member) { return take(fd, shard, member, open); },
      paths_[shard]);
  if (!done) return done;
  return close(shard, open);
}

Result<void> TarShards::take(int fd, std::size_t shard, const TarMember& member, Open& open) {
  TarName name = split_tar_name(member.name);
  if (name.part.empty()) return {};
  if (name.key != open.key) {
    if (auto done = close(shard, open); !done) return done;
    open.key = name.key;
  }
  if (std::ranges::find(open.parts, name.part) != open.parts.end()) {
    return base::fail(ErrorCode::kInvalid, paths_[shard] + ": " + member.name +
                                               " comes twice in its sample; of " +
                                               "members with one name each needs another ending");
  }
  if (name.part == "cls" || is_picture(name.part)) {
    if (auto done = check_is_file(member, paths_[shard]); !done) return done;
  }
  open.parts.push_back(name.part);
  if (name.part == "cls") {
    open.labelled = member.name;
    const auto label = read_label(fd, member, paths_[shard]);
    if (!label) return std::unexpected(label.error());
    open.label = *label;
  } else if (open.picture.empty() && is_picture(name.part)) {
    if (member.size > FileList::kMaxBytes) {
      return base::fail(ErrorCode::kTooLarge, paths_[shard] + ": " + member.name + ": " +
                                                  std::to_string(member.size) +
                                                  " bytes are more than a sample may have");
    }
    open.picture = member.name;
    open.place = {member.offset, static_cast<std::uint32_t>(member.size),
                  static_cast<std::uint32_t>(shard)};
  }
  return {};
}

Result<void> TarShards::close(std::size_t shard, Open& open) {
  if (open.picture.empty() && !open.labelled.empty()) {
    return base::fail(ErrorCode::kInvalid,
                      paths_[shard] + ": " + open.labelled +
                          " has no picture (.jpg, .png, .webp, ...) beside it; the members of a "
                          "sample stand one after the other: tar --sort=name writes them so");
  }
  if (!open.picture.empty()) {
    places_.push_back(open.place);
    labels_.push_back(open.label);
    names_ += open.picture;
    ends_.push_back(names_.size());
  }
  open = Open{};
  return {};
}

std::string TarShards::name(std::int64_t index) const {
  return paths_[places_[static_cast<std::size_t>(index)].shard] + ": " + short_name(index);
}

std::string TarShards::short_name(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  const std::uint64_t begin = at == 0 ? 0 : ends_[at - 1];
  return names_.substr(begin, ends_[at] - begin);
}

Result<std::span<const std::byte>> TarShards::read(std::int64_t index, ReadBuffer& buffer) const {
  const Place& place = places_[static_cast<std::size_t>(index)];
  const std::string& path = files_[place.shard];
  if (place.size == 0)
    return base::fail(ErrorCode::kCorrupt,
                      name(index) + ": the member is empty; write it again or remove it");
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return fail_file(errno, short_name(index) + ": " + path);
  const auto room = buffer.room(place.size);
  const auto got = read_at(file.get(), place.offset, room, path);
  if (!got) return base::fail(got.error().code, short_name(index) + ": " + got.error().message);
  if (*got < place.size)
    return base::fail(ErrorCode::kIo, name(index) + ": the tar became shorter since it was opened");
  return room;
}

std::optional<SampleVersion> TarShards::version(std::int64_t index) const {
  const Place& place = places_[static_cast<std::size_t>(index)];
  return version_in(files_[place.shard], place.offset, place.size);
}

}  // namespace flatout::data
