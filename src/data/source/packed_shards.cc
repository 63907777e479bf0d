#include "data/source/packed_shards.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "data/source/file_part.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::size_t kMostShardIndexBytes = std::size_t{4} << 30;

int open_file(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

std::unexpected<base::Error> about(const std::filesystem::path& path, const base::Error& error) {
  return base::fail(error.code,
                    path.string() + ": " + error.message + "; copy it again, or pack it again");
}

}  // namespace

Result<ShardIndex> read_shard_index(const std::filesystem::path& path) {
  auto file = base::read_file(path, kMostShardIndexBytes);
  if (!file) return std::unexpected(file.error());
  auto index = ShardIndex::parse(std::move(*file));
  if (!index) return about(path, index.error());
  return index;
}

Result<void> check_shard_data(int fd, const ShardFacts& facts, const std::string& path) {
  std::array<std::byte, kShardHeaderBytes> header{};
  const auto got = read_at(fd, 0, header, path);
  if (!got) return std::unexpected(got.error());
  const std::string wanted = shard_data_header(facts.kind, facts.set, facts.shard);
  if (*got == header.size() && std::memcmp(header.data(), wanted.data(), header.size()) == 0)
    return {};
  return about(path, {ErrorCode::kCorrupt, "its beginning is not that of its index's data"});
}

Result<std::unique_ptr<PackedShards>> PackedShards::open(const std::filesystem::path& folder) {
  const auto path = folder / kPackManifestName;
  const auto text = base::read_file(path, kMostManifestBytes);
  if (!text) {
    if (text.error().code != ErrorCode::kNotFound) return std::unexpected(text.error());
    return base::fail(ErrorCode::kNotFound,
                      path.string() +
                          " is not there: the folder was not packed, or not to the end; run "
                          "flatout pack again, which goes on where it was");
  }
  auto manifest = read_pack_manifest(*text);
  if (!manifest) return about(path, manifest.error());
  std::unique_ptr<PackedShards> out(new PackedShards);
  out->manifest_ = std::move(*manifest);
  for (std::uint32_t number = 0; number < out->manifest_.shards; ++number) {
    if (auto done = out->add_shard(folder, number); !done) return std::unexpected(done.error());
  }
  if (std::cmp_not_equal(out->size(), out->manifest_.samples))
    return about(path, {ErrorCode::kCorrupt, "its shards have not the samples that it names"});
  if (out->size() == 0)
    return base::fail(ErrorCode::kNotFound, folder.string() + ": no sample was packed");
  out->compared_ = std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(out->size()));
  return out;
}

Result<void> PackedShards::add_shard(const std::filesystem::path& folder, std::uint32_t number) {
  const auto path = folder / shard_index_name(number);
  auto index = read_shard_index(path);
  if (!index) return std::unexpected(index.error());
  const ShardFacts& facts = index->facts();
  if (facts.set != manifest_.set || facts.kind != manifest_.kind || facts.shard != number)
    return about(path, {ErrorCode::kCorrupt, "it belongs to another set or place"});
  Shard shard{std::move(*index), (folder / shard_data_name(number)).string(), {}};
  base::UniqueFd file(open_file(shard.path));
  if (!file) return fail_file(errno, shard.path);
  if (auto done = check_shard_data(file.get(), shard.index.facts(), shard.path); !done) return done;
  if (manifest_.shards <= kMostOpenFiles) shard.file = std::move(file);
  ends_.push_back(size() + shard.index.samples());
  shards_.push_back(std::move(shard));
  return {};
}

PackedShards::Place PackedShards::place_of(std::int64_t index) const {
  const auto shard =
      static_cast<std::size_t>(std::ranges::upper_bound(ends_, index) - ends_.begin());
  const std::int64_t begin = shard == 0 ? 0 : ends_[shard - 1];
  return {shards_[shard], static_cast<std::uint32_t>(index - begin)};
}

std::int64_t PackedShards::label(std::int64_t index) const {
  const Place place = place_of(index);
  return place.shard.index.record(place.index).label;
}

std::string PackedShards::name(std::int64_t index) const {
  const Place place = place_of(index);
  return place.shard.path + ": " + std::string(place.shard.index.name(place.index));
}

std::string PackedShards::short_name(std::int64_t index) const {
  const Place place = place_of(index);
  return std::string(place.shard.index.name(place.index));
}

Result<std::span<std::byte>> PackedShards::read_part(std::int64_t index, std::uint64_t from,
                                                     std::size_t count, ReadBuffer& buffer) const {
  const Place place = place_of(index);
  const std::string& path = place.shard.path;
  const base::UniqueFd opened(place.shard.file ? -1 : open_file(path));
  const int fd = place.shard.file ? place.shard.file.get() : opened.get();
  if (fd < 0) return fail_file(errno, path);
  const std::uint64_t offset = place.shard.index.record(place.index).offset + from;
  const auto room = buffer.room(count);
  const auto got = read_at(fd, offset, room, path);
  if (!got) return base::fail(got.error().code, short_name(index) + ": " + got.error().message);
  if (*got == count) return room;
  return base::fail(ErrorCode::kCorrupt, name(index) + ": the shard was cut: it ends at byte " +
                                             std::to_string(offset + *got) + " of " +
                                             std::to_string(place.shard.index.facts().data_bytes) +
                                             "; copy it again");
}

Result<std::span<const std::byte>> PackedShards::read(std::int64_t index,
                                                      ReadBuffer& buffer) const {
  const Place place = place_of(index);
  const ShardRecord record = place.shard.index.record(place.index);
  const auto bytes = read_part(index, 0, record.bytes, buffer);
  if (!bytes) return std::unexpected(bytes.error());
  if (checksum_of(*bytes) == record.checksum) return *bytes;
  return base::fail(ErrorCode::kCorrupt,
                    name(index) + ": damaged: its checksum is another one; copy the shard again");
}

std::optional<PixelSize> PackedShards::raw_size(std::int64_t index) const {
  if (manifest_.kind != ShardKind::kRaw) return std::nullopt;
  const Place place = place_of(index);
  const ShardRecord record = place.shard.index.record(place.index);
  return PixelSize{static_cast<int>(record.width), static_cast<int>(record.height)};
}

Result<PixelView> PackedShards::read_rows(std::int64_t index, int first, int count,
                                          ReadBuffer& buffer) const {
  const std::optional<PixelSize> size = raw_size(index);
  if (!size) return Source::read_rows(index, first, count, buffer);
  const std::size_t row = static_cast<std::size_t>(size->width) * 3;
  const std::size_t skipped = row * static_cast<std::size_t>(first);
  PixelView view{.data = nullptr,
                 .width = size->width,
                 .height = count,
                 .channels = 3,
                 .stride = static_cast<std::ptrdiff_t>(row)};
  std::atomic<bool>& compared = compared_[static_cast<std::size_t>(index)];
  if (compared.load(std::memory_order_relaxed)) {
    const auto rows = read_part(index, skipped, row * static_cast<std::size_t>(count), buffer);
    if (!rows) return std::unexpected(rows.error());
    view.data = reinterpret_cast<const std::uint8_t*>(rows->data());
    return view;
  }
  const auto all = read(index, buffer);
  if (!all) return std::unexpected(all.error());
  compared.store(true, std::memory_order_relaxed);
  view.data = reinterpret_cast<const std::uint8_t*>(all->data()) + skipped;
  return view;
}

std::optional<SampleVersion> PackedShards::version(std::int64_t index) const {
  const Place place = place_of(index);
  const ShardRecord record = place.shard.index.record(place.index);
  return version_in(place.shard.path, record.offset, record.bytes);
}

}  // namespace flatout::data
