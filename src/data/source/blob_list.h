// Samples that are parts of files: what a container holds whose places somebody else knows, such as
// pictures in an Arrow table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "data/source/source.h"

namespace flatout::data {

// Where a sample's encoded bytes lie: bytes [offset, offset + length) of file number `file`. A
// length of 0 is a sample without bytes, which is bad when it is read.
struct Blob {
  std::int64_t file = 0;
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

// Never changed once it is open; a sample costs 28 bytes. Up to kMostOpenFiles files stay open, and
// with them what they held then; of more, each is opened for each sample.
class BlobList final : public Source {
 public:
  static constexpr std::size_t kMostOpenFiles = 256;

  // `blobs` and `labels` are copied and alike in number. Errors: a file that is missing or not a
  // regular one; a blob of a file that is not in the list, one that begins before its file, one of
  // more than FileList::kMaxBytes. That a file ends before a blob does is an error of that sample.
  static base::Result<std::unique_ptr<BlobList>> open(std::vector<std::string> paths,
                                                      std::span<const Blob> blobs,
                                                      std::span<const std::int64_t> labels);

  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }
  // "/cache/train.arrow: byte 1034"
  std::string name(std::int64_t index) const override;
  base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                ReadBuffer& buffer) const override;

 private:
  struct Place {
    std::uint64_t offset;
    std::uint32_t file;
    std::uint32_t length;
  };
  BlobList() = default;
  base::Result<void> add(const Blob& blob);

  std::vector<std::string> paths_;
  std::vector<base::UniqueFd> files_;  // as many as paths_, or none where they are too many
  std::vector<Place> places_;
  std::vector<std::int64_t> labels_;
};

}  // namespace flatout::data
