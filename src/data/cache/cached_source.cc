#include "data/cache/cached_source.h"

#include <utility>

namespace flatout::data::cache {

using base::Result;

CachedSource::CachedSource(std::unique_ptr<const Source> from, std::shared_ptr<SampleMemory> memory,
                           std::shared_ptr<SampleDisk> disk)
    : from_(std::move(from)), memory_(std::move(memory)), disk_(std::move(disk)) {}

Result<std::span<const std::byte>> CachedSource::read(std::int64_t index,
                                                      ReadBuffer& buffer) const {
  if (const KeptSample* kept = memory_ ? memory_->find(index) : nullptr)
    return std::span<const std::byte>(kept->data, kept->size);
  return read_and_keep(index, buffer);
}

Result<std::span<const std::byte>> CachedSource::read_and_keep(std::int64_t index,
                                                               ReadBuffer& buffer) const {
  auto bytes = disk_ ? disk_->read(index, *from_, buffer) : from_->read(index, buffer);
  if (bytes && memory_) memory_->keep(index, *bytes);
  return bytes;
}

Result<PixelView> CachedSource::read_rows(std::int64_t index, int first, int count,
                                          ReadBuffer& buffer) const {
  const auto size = from_->raw_size(index);
  if (!size) return from_->read_rows(index, first, count, buffer);
  const auto row = static_cast<std::size_t>(size->width) * 3;
  const std::size_t whole = row * static_cast<std::size_t>(size->height);
  PixelView view{.data = nullptr,
                 .width = size->width,
                 .height = count,
                 .channels = 3,
                 .stride = static_cast<std::ptrdiff_t>(row)};
  const KeptSample* kept = memory_ ? memory_->find(index) : nullptr;
  const std::byte* data = kept != nullptr ? kept->data : nullptr;
  if (data == nullptr) {
    // Where it can be kept nowhere, the rows alone are less to read.
    if (!disk_ && !memory_->fits(whole)) return from_->read_rows(index, first, count, buffer);
    const auto bytes = read_and_keep(index, buffer);
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->size() != whole) return from_->read_rows(index, first, count, buffer);
    data = bytes->data();
  }
  view.data = reinterpret_cast<const std::uint8_t*>(data) + row * static_cast<std::size_t>(first);
  return view;
}

}  // namespace flatout::data::cache
