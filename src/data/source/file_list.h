// Samples that are files, one each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/source/source.h"

namespace flatout::data {

// Filled by one thread, then read by many. A sample costs the bytes of its path below `root` and 16
// more.
class FileList final : public Source {
 public:
  // A file that is larger than this is an error, not a sample.
  static constexpr std::size_t kMaxBytes = std::size_t{512} << 20;

  // `root`: put before each path, with a slash between; empty for none.
  explicit FileList(std::string root = {});

  // Room for as many more, so that what was said above is all that they cost.
  void reserve(std::uint64_t samples, std::uint64_t path_bytes);
  // That its lists have taken, room for more included.
  std::size_t memory_bytes() const;

  void add(std::string_view path, std::int64_t label);

  std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t label(std::int64_t index) const override {
    return labels_[static_cast<std::size_t>(index)];
  }
  std::string name(std::int64_t index) const override { return root_ + short_name(index); }
  std::string short_name(std::int64_t index) const override;
  base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                ReadBuffer& buffer) const override;
  std::optional<SampleVersion> version(std::int64_t index) const override;

 private:
  std::string root_;
  std::string paths_;                // one after the other
  std::vector<std::uint64_t> ends_;  // of each in paths_
  std::vector<std::int64_t> labels_;
};

}  // namespace flatout::data
