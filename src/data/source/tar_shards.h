// Samples in tar files, as WebDataset writes them: members of one name and different endings, one
// behind the other, are a sample ("00012.jpg", "00012.cls").
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/source/source.h"
#include "data/source/unpacked_files.h"

namespace flatout::data {

struct TarMember;

// The name of a sample that a member belongs to, and which part of it it is: "a/00012.seg.png" ->
// "a/00012", "seg.png" in lower case. An empty part: the member is of no sample, as WebDataset has
// it: its name has no dot or begins with one, or its first folder is one of "__notes__".
struct TarName {
  std::string_view key;
  std::string part;
};
TarName split_tar_name(std::string_view name);

// Never changed once it is open; a sample costs the bytes of its member's name and 36 more.
class TarShards final : public Source {
 public:
  // Looks through every shard once. A sample's picture is its first member whose part is jpg, jpeg,
  // png, ppm, pgm, pbm, pnm or webp; its label is the number in its member cls, 0 where it has
  // none. Samples without a picture and a label are left out. Compressed shards are unpacked first,
  // and read where they lie then. Errors are those of unpacked_files and read_tar_index; a cls
  // member that is no number; shards without a sample. What would make fewer samples, or give one
  // another's label, is an error as well: a part that comes twice in its sample (WebDataset
  // raises, too), a picture or label that is a link or a sparse file, a label without a picture.
  static base::Result<std::unique_ptr<TarShards>> open(std::vector<std::string> paths,
                                                       const UnpackOptions& unpack = {});

  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }
  std::string name(std::int64_t index) const override;
  std::string short_name(std::int64_t index) const override;
  base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                ReadBuffer& buffer) const override;
  std::optional<SampleVersion> version(std::int64_t index) const override;

 private:
  struct Place {
    std::uint64_t offset;
    std::uint32_t size;
    std::uint32_t shard;
  };
  struct Open;  // a sample whose members are being read

  explicit TarShards(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  base::Result<void> add_shard(std::size_t shard);
  base::Result<void> take(int fd, std::size_t shard, const TarMember& member, Open& open);
  base::Result<void> close(std::size_t shard, Open& open);

  std::vector<std::string> paths_;  // as they were named
  std::vector<std::string> files_;  // where they are read from
  std::vector<Place> places_;
  std::vector<std::int64_t> labels_;
  std::string names_;                // of the pictures' members, one after the other
  std::vector<std::uint64_t> ends_;  // of each in names_
};

}  // namespace flatout::data
