// A source whose samples are kept, as they are read, in memory or on a near disk, or both.
#pragma once

#include <memory>
#include <string>

#include "data/cache/sample_disk.h"
#include "data/cache/sample_memory.h"
#include "data/source/source.h"

namespace flatout::data::cache {

// Gives what the source gives, byte for byte: as it was when it was first read. Samples that are
// pixels are kept, too, and read whole while there is room for them. Errors are not kept.
class CachedSource final : public Source {
 public:
  // `memory` or `disk` may be null.
  CachedSource(std::unique_ptr<const Source> from, std::shared_ptr<SampleMemory> memory,
               std::shared_ptr<SampleDisk> disk);

  std::int64_t size() const override { return from_->size(); }
  std::int64_t label(std::int64_t index) const override { return from_->label(index); }
  std::string name(std::int64_t index) const override { return from_->name(index); }
  std::string short_name(std::int64_t index) const override { return from_->short_name(index); }
  // Without a copy where the sample is in memory.
  base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                ReadBuffer& buffer) const override;
  std::optional<SampleVersion> version(std::int64_t index) const override {
    return from_->version(index);
  }
  std::optional<PixelSize> raw_size(std::int64_t index) const override {
    return from_->raw_size(index);
  }
  base::Result<PixelView> read_rows(std::int64_t index, int first, int count,
                                    ReadBuffer& buffer) const override;

 private:
  base::Result<std::span<const std::byte>> read_and_keep(std::int64_t index,
                                                         ReadBuffer& buffer) const;

  std::unique_ptr<const Source> from_;
  std::shared_ptr<SampleMemory> memory_;
  std::shared_ptr<SampleDisk> disk_;
};

}  // namespace flatout::data::cache
