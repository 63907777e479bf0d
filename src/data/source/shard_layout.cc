#define XXH_INLINE_ALL
#include "data/source/shard_layout.h"

#include <xxhash.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/little_endian.h"

namespace flatout::data {
namespace {

using base::append;
using base::ErrorCode;
using base::load;
using base::Result;

constexpr std::size_t kRecordBytes = 48;
constexpr std::size_t kChecksumOffset = 56;

constexpr std::array kKinds = {std::pair{ShardKind::kOriginal, "original"},
                               std::pair{ShardKind::kJpeg, "jpeg"},
                               std::pair{ShardKind::kRaw, "raw"}};

std::uint64_t header_checksum(std::string_view header) {
  return XXH3_64bits(header.data(), kChecksumOffset);
}

// Of all of an index but the checksum itself.
std::uint64_t index_checksum(std::string_view file) {
  return XXH3_64bits_withSeed(file.data() + kShardHeaderBytes, file.size() - kShardHeaderBytes,
                              header_checksum(file));
}

std::string file_name(std::uint32_t shard, const char* ending) {
  char text[32];
  std::snprintf(text, sizeof text, "shard-%05u.%s", shard, ending);
  return text;
}

std::unexpected<base::Error> corrupt(std::string why) {
  return base::fail(ErrorCode::kCorrupt, std::move(why));
}

const char* wrong_record(const ShardRecord& record, const ShardFacts& facts) {
  if (record.bytes == 0 || record.bytes > kMostShardSampleBytes) return "its size is out of bounds";
  if (record.offset < kShardHeaderBytes || record.offset > facts.data_bytes ||
      facts.data_bytes - record.offset < record.bytes)
    return "it is recorded beyond the data";
  if (facts.kind != ShardKind::kRaw)
    return record.width == 0 && record.height == 0 ? nullptr : "it has a size in pixels";
  if (record.width == 0 || record.width > kMostRawSide || record.height == 0 ||
      record.height > kMostRawSide ||
      std::uint64_t{record.width} * record.height * 3 != record.bytes)
    return "its bytes are not its pixels";
  return nullptr;
}

}  // namespace

const char* name_of(ShardKind kind) {
  for (const auto& [one, name] : kKinds) {
    if (one == kind) return name;
  }
  return "?";
}

bool shard_kind_named(std::string_view name, ShardKind& out) {
  for (const auto& [kind, known] : kKinds) {
    if (name != known) continue;
    out = kind;
    return true;
  }
  return false;
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string shard_data_name(std::uint32_t shard) { return file_name(shard, "data"); }
std::string shard_index_name(std::uint32_t shard) { return file_name(shard, "index"); }

std::string shard_data_header(ShardKind kind, std::uint64_t set, std::uint32_t shard) {
  std::string out(kShardMagic);
  append(out, kShardVersion);
  append(out, static_cast<std::uint16_t>(kind));
  append(out, std::uint16_t{0});
  append(out, set);
  append(out, shard);
  out.resize(kChecksumOffset);
  append(out, header_checksum(out));
  return out;
}

void ShardIndexBuilder::add(const ShardRecord& record, std::string_view name) {
  names_ += name;
  append(records_, record.offset);
  append(records_, record.bytes);
  append(records_, static_cast<std::uint32_t>(names_.size()));
  append(records_, record.label);
  append(records_, record.checksum);
  append(records_, record.width);
  append(records_, record.height);
  append(records_, record.number);
  ++samples_;
}

std::string ShardIndexBuilder::finish(const ShardFacts& facts) const {
  std::string out(kIndexMagic);
  append(out, kShardVersion);
  append(out, static_cast<std::uint16_t>(facts.kind));
  append(out, std::uint16_t{0});
  append(out, facts.set);
  append(out, facts.shard);
  append(out, samples_);
  append(out, facts.data_bytes);
  append(out, facts.first);
  append(out, facts.end);
  append(out, std::uint64_t{0});
  out += records_;
  out += names_;
  const std::uint64_t checksum = index_checksum(out);
  std::memcpy(out.data() + kChecksumOffset, &checksum, sizeof checksum);
  return out;
}

Result<ShardIndex> ShardIndex::parse(std::string file) {
  if (file.size() < kShardHeaderBytes || !std::string_view(file).starts_with(kIndexMagic))
    return corrupt("is no index of a shard");
  const auto version = load<std::uint32_t>(file, 8);
  if (version != kShardVersion) {
    return base::fail(ErrorCode::kInvalid, "is of version " + std::to_string(version) +
                                               "; this flatout reads version " +
                                               std::to_string(kShardVersion));
  }
  if (load<std::uint64_t>(file, kChecksumOffset) != index_checksum(file))
    return corrupt("is damaged: its checksum is another one");
  ShardIndex out;
  out.facts_ = {.kind = static_cast<ShardKind>(load<std::uint16_t>(file, 12)),
                .set = load<std::uint64_t>(file, 16),
                .shard = load<std::uint32_t>(file, 24),
                .first = load<std::uint64_t>(file, 40),
                .end = load<std::uint64_t>(file, 48),
                .data_bytes = load<std::uint64_t>(file, 32)};
  out.samples_ = load<std::uint32_t>(file, 28);
  if (name_of(out.facts_.kind)[0] == '?' || load<std::uint16_t>(file, 14) != 0)
    return corrupt("is of a kind that is not known");
  if (out.facts_.first > out.facts_.end || out.samples_ > out.facts_.end - out.facts_.first)
    return corrupt("has more samples than it was made of");
  if (out.samples_ > kMostShardSamples ||
      (file.size() - kShardHeaderBytes) / kRecordBytes < out.samples_)
    return corrupt("ends before its samples do");
  out.file_ = std::move(file);
  const std::size_t names = out.file_.size() - kShardHeaderBytes - out.samples_ * kRecordBytes;
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < out.samples_; ++i) {
    const std::uint32_t begin = std::exchange(end, out.name_end(i));
    const char* wrong = end < begin || end > names ? "its name is recorded beyond the index"
                                                   : wrong_record(out.record(i), out.facts_);
    if (wrong != nullptr) return corrupt("has a wrong sample " + std::to_string(i) + ": " + wrong);
  }
  if (end != names) return corrupt("is longer than its samples");
  return out;
}

ShardRecord ShardIndex::record(std::uint32_t index) const {
  const std::size_t at = kShardHeaderBytes + index * kRecordBytes;
  return {.offset = load<std::uint64_t>(file_, at),
          .bytes = load<std::uint32_t>(file_, at + 8),
          .label = load<std::int64_t>(file_, at + 16),
          .checksum = load<std::uint64_t>(file_, at + 24),
          .width = load<std::uint32_t>(file_, at + 32),
          .height = load<std::uint32_t>(file_, at + 36),
          .number = load<std::uint64_t>(file_, at + 40)};
}

std::uint32_t ShardIndex::name_end(std::uint32_t index) const {
  return load<std::uint32_t>(file_, kShardHeaderBytes + index * kRecordBytes + 12);
}

std::string_view ShardIndex::name(std::uint32_t index) const {
  const std::size_t begin = index == 0 ? 0 : name_end(index - 1);
  return std::string_view(file_).substr(kShardHeaderBytes + samples_ * kRecordBytes + begin,
                                        name_end(index) - begin);
}

}  // namespace flatout::data
