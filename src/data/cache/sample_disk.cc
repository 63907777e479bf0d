#include "data/cache/sample_disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "data/source/file_part.h"
#include "data/source/shard_layout.h"

namespace flatout::data::cache {
namespace {

using base::Result;

constexpr std::uint64_t kLeastOfSegment = std::uint64_t{1} << 20;
constexpr std::uint64_t kSegmentsOfBudget = 16;
constexpr std::uint64_t kRefusalsATry = 1024;
constexpr std::uint64_t kFreePlaces = 1 << 20;
constexpr std::uint32_t kRemoved = UINT32_MAX;  // a number that no segment has
constexpr std::size_t kIndexPiece = std::size_t{4} << 20;

base::UniqueFd open_to_read(const std::string& path) {
  return base::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
}

bool write_at(int fd, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<SampleDisk>> SampleDisk::open(const std::filesystem::path& folder,
                                                     std::uint64_t budget_bytes,
                                                     std::int64_t samples) {
  auto opened = SegmentFolder::open(folder, budget_bytes);
  if (!opened) return std::unexpected(opened.error());
  std::unique_ptr<SampleDisk> out(new SampleDisk(std::move(*opened), budget_bytes, samples));
  out->read_indices();
  return out;
}

SampleDisk::SampleDisk(SegmentFolder folder, std::uint64_t budget_bytes, std::int64_t samples)
    : folder_(std::move(folder)),
      segment_bytes_(std::clamp(budget_bytes / kSegmentsOfBudget, kLeastOfSegment, kMostOfSegment)),
      samples_(static_cast<std::uint64_t>(samples)),
      owner_(::getpid()),
      known_(static_cast<std::size_t>(samples)) {}

SampleDisk::~SampleDisk() { end_segment(); }

Result<std::span<const std::byte>> SampleDisk::read(std::int64_t index, const Source& source,
                                                    ReadBuffer& buffer) {
  std::optional<SampleVersion> version;
  auto part = find(index, std::nullopt);
  if (!part) {
    version = source.version(index);  // before it is read: what is written later is newer
    part = find(index, version);
  }
  if (part) {
    const auto room = buffer.room(part->entry.bytes);
    if (load(*part, room)) return room;
    lose(index);
    if (!version) version = source.version(index);
  }
  auto bytes = source.read(index, buffer);
  if (bytes && version && version->bytes == bytes->size()) put(index, *version, *bytes);
  return bytes;
}

// Where the sample lies: as it was found before, or by its version. Counts, once it is sure.
std::optional<SampleDisk::Part> SampleDisk::find(std::int64_t index,
                                                 const std::optional<SampleVersion>& version) {
  const std::optional<SampleKey> key = version ? std::optional(key_of(*version)) : std::nullopt;
  const std::scoped_lock lock(mutex_);
  Place*& known = known_[static_cast<std::size_t>(index)];
  if (key) {
    ++asked_;
    auto found = places_.find(*key);
    if (found == places_.end() && stats_.misses % kMissesALook == kMissesALook - 1) {
      read_indices();
      found = places_.find(*key);
    }
    if (found != places_.end() && found->second.entry.bytes == version->bytes)
      known = &found->second;
  }
  if (known == nullptr || !known->usable) {
    if (key) ++stats_.misses;
    return std::nullopt;
  }
  ++stats_.hits;
  Segment& segment = segments_[known->segment];
  if (!std::exchange(segment.served, true)) folder_.mark_used(segment.number);
  return Part{segment.data, segment.number, known->entry};
}

bool SampleDisk::load(const Part& part, std::span<std::byte> room) const {
  const std::string path = folder_.data_path(part.number);
  const base::UniqueFd opened = part.data ? base::UniqueFd() : open_to_read(path);
  const int fd = part.data ? part.data->get() : opened.get();
  if (fd < 0) return false;
  const auto got = read_at(fd, part.entry.offset, room, path);
  return got && *got == room.size() && checksum_of(room) == part.entry.checksum;
}

void SampleDisk::lose(std::int64_t index) {
  const std::scoped_lock lock(mutex_);
  Place*& known = known_[static_cast<std::size_t>(index)];
  if (known != nullptr) known->usable = false;
  known = nullptr;
  --stats_.hits;
  ++stats_.misses;
  ++stats_.damaged;
}

void SampleDisk::put(std::int64_t index, const SampleVersion& version,
                     std::span<const std::byte> bytes) {
  const auto part = begin({.key = key_of(version),
                           .bytes = static_cast<std::uint32_t>(bytes.size()),
                           .checksum = checksum_of(bytes)});
  if (part) finish(index, *part, write_at(part->data->get(), part->entry.offset, bytes));
}

// Room in the segment that is being written.
std::optional<SampleDisk::Part> SampleDisk::begin(const SegmentEntry& entry) {
  const std::uint64_t need = entry.bytes + kSegmentEntryBytes;
  const std::scoped_lock lock(mutex_);
  const auto there = places_.find(entry.key);
  const bool told =
      there != places_.end() && there->second.usable && there->second.entry.bytes == entry.bytes;
  if (!stats_.can_write || told) return std::nullopt;
  const auto fits = [&] {
    return writing_ && writing_->end + writing_->index_bytes + need <= writing_->may_have;
  };
  if (!fits() && !begin_segment(need)) {
    ++stats_.denied;
    return std::nullopt;
  }
  const Segment& segment = segments_[writing_->segment];
  Part out{segment.data, segment.number, entry};
  out.entry.offset = writing_->end;
  writing_->end += entry.bytes;
  writing_->index_bytes += kSegmentEntryBytes;
  return out;
}

// Tells of it once its bytes are written. Where another segment has begun meanwhile, it stays
// untold.
void SampleDisk::finish(std::int64_t index, const Part& part, bool written) {
  const std::scoped_lock lock(mutex_);
  if (!writing_ || segments_[writing_->segment].number != part.number) return;
  if (!written || !base::write_all(writing_->index.get(), segment_entry_bytes(part.entry), "")) {
    stats_.can_write = false;  // a full disk: what was written of it is cut off
    return;
  }
  ++stats_.stored;
  stats_.stored_bytes += part.entry.bytes;
  known_[static_cast<std::size_t>(index)] = add(writing_->segment, part.entry);
}

bool SampleDisk::begin_segment(std::uint64_t bytes) {
  if (until_try_ > 0) {
    --until_try_;
    return false;
  }
  // Samples come in any order: whose segment served none is known once all were asked for.
  const bool whole_pass = asked_ >= samples_;
  const auto find_segment = [&](std::uint32_t number) {
    return std::ranges::find(segments_, number, &Segment::number);
  };
  auto made = folder_.begin_segment(
      bytes + kSegmentHeaderBytes, segment_bytes_,
      [&](std::uint32_t number) {
        const auto at = find_segment(number);
        return whole_pass && (at == segments_.end() || (!at->served && !at->own));
      },
      [&](std::uint32_t number) {
        ++stats_.removed_segments;
        const auto at = find_segment(number);
        if (at == segments_.end()) return;
        const auto removed = static_cast<std::size_t>(at - segments_.begin());
        for (auto& [key, place] : places_) place.usable = place.usable && place.segment != removed;
        *at = {.number = kRemoved};
      });
  if (!made) stats_.can_write = false;
  if (!made || !*made) {
    until_try_ = std::min(kRefusalsATry, samples_);
    return false;
  }
  end_segment();
  segments_.push_back({.number = (*made)->number,
                       .data = std::make_shared<base::UniqueFd>(std::move((*made)->data)),
                       .own = true});
  writing_ = {.segment = segments_.size() - 1,
              .index = std::move((*made)->index),
              .may_have = (*made)->may_have,
              .index_bytes = kSegmentHeaderBytes};
  return true;
}

// Gives back the room that it does not need.
void SampleDisk::end_segment() {
  if (!writing_ || owner_ != ::getpid()) return;
  Segment& segment = segments_[writing_->segment];
  folder_.end_segment(segment.number);
  if (writing_->segment >= kMostOpenFiles) segment.data.reset();
  writing_.reset();
}

void SampleDisk::read_indices() {
  for (const SegmentFacts& facts : folder_.segments()) {
    auto at = std::ranges::find(segments_, facts.number, &Segment::number);
    if (at == segments_.end()) {
      segments_.push_back({.number = facts.number});
      at = std::prev(segments_.end());
      if (segments_.size() <= kMostOpenFiles) {
        auto data = open_to_read(folder_.data_path(facts.number));
        if (data) at->data = std::make_shared<base::UniqueFd>(std::move(data));
      }
    }
    if (!at->own && facts.index_bytes > at->index_read)
      read_index(static_cast<std::size_t>(at - segments_.begin()), facts);
  }
}

// What was appended since it was last read.
void SampleDisk::read_index(std::size_t at, const SegmentFacts& facts) {
  Segment& segment = segments_[at];
  const std::string path = folder_.index_path(facts.number);
  const base::UniqueFd file = open_to_read(path);
  if (!file) return;
  std::string piece;
  for (;;) {
    const bool begins = segment.index_read == 0;
    const std::uint64_t left = facts.index_bytes - std::min(facts.index_bytes, segment.index_read);
    piece.resize(begins ? kSegmentHeaderBytes : std::min<std::uint64_t>(left, kIndexPiece));
    const auto got =
        read_at(file.get(), segment.index_read, std::as_writable_bytes(std::span(piece)), path);
    if (!got) return;
    piece.resize(*got);
    if (begins) {
      if (!is_segment_header(piece)) return;  // not written yet, or none of ours
      segment.index_read = kSegmentHeaderBytes;
      continue;
    }
    const SegmentEntries read = read_segment_entries(piece);
    for (const SegmentEntry& entry : read.entries) add(at, entry);
    stats_.damaged += read.damaged;
    segment.index_read += read.used;
    if (read.used == 0) return;
  }
}

// The last one counts: a sample is stored again where another of it was damaged. Null where there
// are too many.
SampleDisk::Place* SampleDisk::add(std::size_t segment, const SegmentEntry& entry) {
  const auto there = places_.find(entry.key);
  if (there == places_.end()) {
    if (places_.size() >= 4 * samples_ + kFreePlaces) return nullptr;
    return &places_.emplace(entry.key, Place{segment, entry}).first->second;
  }
  there->second = {segment, entry};
  return &there->second;
}

DiskStats SampleDisk::stats() const {
  const std::scoped_lock lock(mutex_);
  return stats_;
}

}  // namespace flatout::data::cache
