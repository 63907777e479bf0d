#include "data/source/tar_shards.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/file.h"
#include "data/source/file_list.h"
#include "data/source/file_part.h"
#include "data/source/tar_index.h"
#include "data/source/tar_names.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::size_t kMostLabelBytes = 4096;  // with all blanks and zeros in it

Result<std::int64_t> read_label(int fd, const TarMember& member, const std::string& path) {
  std::string text(std::min<std::size_t>(member.size, kMostLabelBytes + 1), '\0');
  const auto got = read_at(fd, member.offset, std::as_writable_bytes(std::span(text)), path);
  if (!got) return std::unexpected(got.error());
  text.resize(*got);
  const auto label = text.size() > kMostLabelBytes ? std::nullopt : label_in(text);
  if (label) return *label;
  return base::fail(ErrorCode::kInvalid, path + ": " + member.name +
                                             " is no whole number of 64 bits; a label is one, so "
                                             "write that member with its class's number");
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

struct TarShards::Open {
  // A member that is named as a picture or a label is, but for a dot in its own name.
  struct Dotted {
    std::string part, member;
  };

  std::string key;
  std::unordered_set<std::string> parts;  // that came already
  std::string labelled;                   // the name of its cls member
  std::string picture;                    // the member's name; "" while there is none
  std::string other_picture;              // of a kind that is not decoded
  std::vector<Dotted> dotted_labels;
  std::optional<Dotted> dotted_picture;  // the first
  Place place{};
  std::int64_t label = 0;
};

struct TarShards::Seen {
  std::string labelled, unlabelled;  // "0.tar: 7.jpg", the first
};

namespace {

// WebDataset would give such a member to another sample.
std::unexpected<base::Error> cut_by_a_dot(const std::string& path, const std::string& key,
                                          const std::string& member, const std::string& part) {
  return base::fail(ErrorCode::kInvalid,
                    path + ": " + member +
                        ": names are cut at their first dot, as WebDataset does, "
                        "so this is the part \"" +
                        part + "\" of a sample \"" + key +
                        "\" and would be left out; write the shard with names whose only dot "
                        "stands before the ending");
}

}  // namespace

Result<std::unique_ptr<TarShards>> TarShards::open(std::vector<std::string> paths,
                                                   const UnpackOptions& unpack) {
  std::unique_ptr<TarShards> out(new TarShards(std::move(paths)));
  if (out->paths_.size() > std::numeric_limits<std::uint32_t>::max())
    return base::fail(ErrorCode::kTooLarge, "more than 2^32 shards");
  auto files = unpacked_files(out->paths_, unpack);
  if (!files) return std::unexpected(files.error());
  out->files_ = std::move(*files);
  Seen seen;
  for (std::size_t shard = 0; shard < out->paths_.size(); ++shard) {
    if (auto done = out->add_shard(shard, seen); !done) return std::unexpected(done.error());
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

Result<void> TarShards::add_shard(std::size_t shard, Seen& seen) {
  Open open;
  auto done = read_tar_index(
      files_[shard],
      [&](int fd, const TarMember& member) { return take(fd, shard, member, open, seen); },
      paths_[shard]);
  if (!done) return done;
  return close(shard, open, seen);
}

Result<void> TarShards::take(int fd, std::size_t shard, const TarMember& member, Open& open,
                             Seen& seen) {
  const auto name = split_tar_name(member.name);
  if (!name) return {};
  const std::string_view ending = ending_of(name->part);
  const bool wanted = ending == "cls" || is_decoded_picture(ending);
  if (member.kind == TarMember::Kind::kLink) {
    // WebDataset passes over links; one that stands for a picture or a label would be lost.
    return wanted ? check_is_file(member, paths_[shard]) : Result<void>{};
  }
  if (name->key != open.key) {
    if (auto done = close(shard, open, seen); !done) return done;
    open.key = name->key;
  }
  if (!open.parts.insert(name->part).second) {
    return base::fail(ErrorCode::kInvalid, paths_[shard] + ": " + member.name +
                                               " comes twice in its sample; of " +
                                               "members with one name each needs another ending");
  }
  const bool dotted = ending.size() != name->part.size();
  if (name->part == "cls") return take_label(fd, shard, member, open);
  if (ending == "cls") open.dotted_labels.push_back({name->part, member.name});
  if (is_other_picture(ending) && open.other_picture.empty()) open.other_picture = member.name;
  if (!is_decoded_picture(ending)) return {};
  if (!dotted) return take_picture(shard, member, open);
  if (!open.dotted_picture) open.dotted_picture = {name->part, member.name};
  return {};
}

Result<void> TarShards::take_label(int fd, std::size_t shard, const TarMember& member, Open& open) {
  if (auto done = check_is_file(member, paths_[shard]); !done) return done;
  const auto label = read_label(fd, member, paths_[shard]);
  if (!label) return std::unexpected(label.error());
  open.labelled = member.name;
  open.label = *label;
  return {};
}

Result<void> TarShards::take_picture(std::size_t shard, const TarMember& member, Open& open) {
  if (auto done = check_is_file(member, paths_[shard]); !done) return done;
  if (!open.picture.empty()) return {};
  if (member.size > FileList::kMaxBytes) {
    return base::fail(ErrorCode::kTooLarge, paths_[shard] + ": " + member.name + ": " +
                                                std::to_string(member.size) +
                                                " bytes are more than a sample may have");
  }
  open.picture = member.name;
  open.place = {member.offset, static_cast<std::uint32_t>(member.size),
                static_cast<std::uint32_t>(shard)};
  return {};
}

// A sample that gives neither a picture nor a label is none of the set; one that gives one of them
// would be lost, or get another's label.
Result<void> TarShards::check_without_picture(std::size_t shard, const Open& open) const {
  const std::string& path = paths_[shard];
  if (const auto& dotted = open.dotted_picture)
    return cut_by_a_dot(path, open.key, dotted->member, dotted->part);
  if (!open.other_picture.empty()) {
    return base::fail(ErrorCode::kInvalid,
                      path + ": " + open.other_picture +
                          ": pictures of this kind are not decoded; write it as .jpg, .png or "
                          ".webp, or leave it out of the shard");
  }
  if (open.labelled.empty() && open.dotted_labels.empty()) return {};
  return base::fail(ErrorCode::kInvalid,
                    path + ": " +
                        (open.labelled.empty() ? open.dotted_labels[0].member : open.labelled) +
                        " has no picture (.jpg, .png, .webp, ...) beside it; the members of a "
                        "sample stand one after the other: tar --sort=name writes them so");
}

Result<void> TarShards::check_label(std::size_t shard, const Open& open, Seen& seen) const {
  const std::string& path = paths_[shard];
  for (const Open::Dotted& label : open.dotted_labels) {
    const std::string stem = label.part.substr(0, label.part.size() - std::strlen("cls"));
    const bool pair = std::ranges::any_of(kDecodedPictures, [&](std::string_view ending) {
      return open.parts.contains(stem + std::string(ending));
    });
    // Its own sample, or the only label of this one.
    if (pair || open.labelled.empty())
      return cut_by_a_dot(path, open.key, label.member, label.part);
  }
  std::string& first = open.labelled.empty() ? seen.unlabelled : seen.labelled;
  if (first.empty()) first = path + ": " + open.picture;
  if (seen.labelled.empty() || seen.unlabelled.empty()) return {};
  return base::fail(
      ErrorCode::kInvalid,
      seen.unlabelled + " has no label (.cls) beside it, while others have one, such as " +
          seen.labelled + "; write its label behind it, or leave it out of the shard");
}

Result<void> TarShards::close(std::size_t shard, Open& open, Seen& seen) {
  const bool sample = !open.picture.empty();
  auto done = sample ? check_label(shard, open, seen) : check_without_picture(shard, open);
  if (!done) return done;
  if (sample) {
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
