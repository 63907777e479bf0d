#include "data/tokens/array_work.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/element_type.h"
#include "data/tokens/file_map.h"

namespace flatout::data {

using base::Result;

namespace {

// A page that a map brings from a disk comes alone, where pread() brings all of a sample's at once.
// So faults that wait for a disk are counted now and then; after many maps are left for a while.
constexpr int kClaimsBetweenLooks = 16;
constexpr int kClaimsWithoutMaps = 256;
constexpr std::int64_t kManyFaults = 16;

constexpr std::size_t kLine = 64;
constexpr std::size_t kMostFetched = 4096;  // what follows, the processor foresees by itself

std::int64_t disk_faults() {
  rusage used{};
  return ::getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_majflt : 0;
}

}  // namespace

bool ArrayWork::may_use_maps() {
  if (--claims_to_look_ > 0) return uses_maps_;
  const std::int64_t before = std::exchange(disk_faults_, disk_faults());
  const bool cold = uses_maps_ && disk_faults_ - before >= kManyFaults;
  claims_to_look_ = cold ? kClaimsWithoutMaps : kClaimsBetweenLooks;
  return !cold && FileMap::watched();
}

void ArrayWork::fetch(const ArrayFile& file, std::int64_t first, std::int64_t count) const {
  const std::byte* const at = uses_maps_ ? file.mapped(first) : nullptr;
  if (at == nullptr) return;
  const auto bytes =
      std::min(static_cast<std::size_t>(count) * bytes_of(file.type()), kMostFetched);
  for (std::size_t line = 0; line < bytes; line += kLine) __builtin_prefetch(at + line);
}

void ArrayWork::fetch(const TokenStream& stream, std::int64_t first, std::int64_t count) const {
  const auto place = stream.find(first, 1);
  if (place.file != nullptr) fetch(*place.file, place.first, count);
}

void ArrayWork::begin_claim() {
  touched_.clear();
  uses_maps_ = may_use_maps();
}

bool ArrayWork::end_claim(StageTimes& times) {
  if (begun_ != 0 && first_.total() > 0) {
    const base::DurationNs all = now() - begun_;
    const double read = static_cast<double>(first_.read) / static_cast<double>(first_.total());
    const auto reading = static_cast<base::DurationNs>(static_cast<double>(all) * read);
    times.read += reading;
    times.transform += all - reading;
    times.looked += first_.looked;
    times.cpu += first_.cpu;
  }
  first_ = {};
  begun_ = 0;
  const bool sound =
      std::ranges::all_of(touched_, [](const ArrayFile* file) { return file->as_mapped(); });
  touched_.clear();
  if (!sound) uses_maps_ = false;
  return sound;
}

const std::byte* ArrayWork::mapped(const ArrayFile& file, std::int64_t first) {
  const std::byte* const at = uses_maps_ ? file.mapped(first) : nullptr;
  if (at != nullptr && std::ranges::find(touched_, &file) == touched_.end())
    touched_.push_back(&file);
  return at;
}

Result<const std::byte*> ArrayWork::take(const ArrayFile& file, std::int64_t first,
                                         std::size_t count) {
  if (const std::byte* const at = mapped(file, first)) return at;
  const auto room = buffer_.room(count * bytes_of(file.type()));
  if (auto read = file.read(first, room); !read) return std::unexpected(read.error());
  return room.data();
}

Result<const std::byte*> ArrayWork::take(const TokenStream& stream, std::int64_t first,
                                         std::size_t count) {
  const auto place = stream.find(first, static_cast<std::int64_t>(count));
  if (place.file != nullptr) return take(*place.file, place.first, count);
  const auto room = buffer_.room(count * bytes_of(stream.type()));
  if (auto read = stream.read(first, room); !read) return std::unexpected(read.error());
  return room.data();
}

Result<void> ArrayWork::copy(const ArrayFile& file, std::int64_t first, std::span<std::byte> out) {
  const std::byte* const at = mapped(file, first);
  if (at == nullptr) return file.read(first, out);
  std::memcpy(out.data(), at, out.size());
  return {};
}

Result<void> ArrayWork::copy(const TokenStream& stream, std::int64_t first,
                             std::span<std::byte> out) {
  const auto count = out.size() / bytes_of(stream.type());
  const auto place = stream.find(first, static_cast<std::int64_t>(count));
  return place.file != nullptr ? copy(*place.file, place.first, out) : stream.read(first, out);
}

}  // namespace flatout::data
