// Samples in tar files, as WebDataset writes them: members of one name and different endings, one
// behind the other, are a sample ("00012.jpg", "00012.cls").
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/source/source.h"
#include "data/source/unpacked_files.h"

namespace flatout::data {

struct TarMember;

// Never changed once it is open; a sample costs the bytes of its member's name and 36 more.
class TarShards final : public Source {
 public:
  // Looks through every shard once. A sample's picture is its first member whose part is jpg, jpeg,
  // png, ppm, pgm, pbm, pnm or webp; its label is the number in its member cls, 0 in a set of which
  // no sample has one. Samples without a picture and a label are left out. Compressed shards are
  // unpacked first, and read where they lie then. Errors are those of unpacked_files and
  // read_tar_index; a cls member that is no number; shards without a sample. What would make fewer
  // samples, or give one a label that is none, is an error as well, with the member's name: a part
  // that comes twice in its sample (WebDataset raises, too), a picture or label that is a link or a
  // sparse file, a label without a picture, a picture without a label where others have one, a
  // picture or label whose own name has a dot, which WebDataset cuts there, and a picture of a kind
  // that is not decoded.
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
  struct Seen;  // of all samples so far: one with a label, one without

  explicit TarShards(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  base::Result<void> add_shard(std::size_t shard, Seen& seen);
  base::Result<void> take(int fd, std::size_t shard, const TarMember& member, Open& open,
                          Seen& seen);
  base::Result<void> take_label(int fd, std::size_t shard, const TarMember& member, Open& open);
  base::Result<void> take_picture(std::size_t shard, const TarMember& member, Open& open);
  base::Result<void> check_without_picture(std::size_t shard, const Open& open) const;
  base::Result<void> check_label(std::size_t shard, const Open& open, Seen& seen) const;
  base::Result<void> close(std::size_t shard, Open& open, Seen& seen);

  std::vector<std::string> paths_;  // as they were named
  std::vector<std::string> files_;  // where they are read from
  std::vector<Place> places_;
  std::vector<std::int64_t> labels_;
  std::string names_;                // of the pictures' members, one after the other
  std::vector<std::uint64_t> ends_;  // of each in names_
};

}  // namespace flatout::data
