#include "store/curves/kept_curves.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "base/file.h"
#include "base/little_endian.h"
#include "run/plausible.h"
#include "store/sealed/packing.h"
#include "store/varint.h"

namespace flatout::store {
namespace {

using base::Result;

constexpr std::string_view kKeptMagic{"FLSUMS\x1a\n", 8};
constexpr std::uint32_t kKeptVersion = 1;
constexpr std::size_t kKeptHeaderBytes = 72;
constexpr std::uint64_t kMostTableBytes = 64U << 20;
constexpr std::size_t kMostNameBytes = 512;
constexpr std::uint64_t kMostRank = 1U << 24;
constexpr auto kMostPid = static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max());

std::string header_of(const RecordingStamp& stamp, std::string_view table) {
  std::string out(kKeptMagic);
  base::append(out, kKeptVersion);
  base::append(out, std::uint32_t{0});
  base::append(out, std::uint64_t{stamp.sealed ? 1U : 0U});
  base::append(out, stamp.bytes);
  base::append(out, stamp.changed_ns);
  base::append(out, stamp.tail);
  base::append(out, std::uint64_t{table.size()});
  base::append(out, checksum_of(table, 1));
  base::append(out, checksum_of(out, 0));
  return out;
}

// Length of the table that a header with just this stamp names.
std::optional<std::uint64_t> table_bytes(std::string_view header, const RecordingStamp& stamp) {
  if (header.size() < kKeptHeaderBytes) return std::nullopt;
  const auto expected = header_of(stamp, "");
  constexpr std::size_t kUntilStamp = 48;
  const bool same = header.substr(0, kUntilStamp) == expected.substr(0, kUntilStamp) &&
                    base::load<std::int64_t>(header, 64) == checksum_of(header.substr(0, 64), 0);
  const auto bytes = base::load<std::uint64_t>(header, kUntilStamp);
  return same && bytes <= kMostTableBytes ? std::optional(bytes) : std::nullopt;
}

void put_pieces(std::string& out, std::span<const CurvePiece> pieces) {
  put_varint(out, pieces.size());
  CurvePiece before;
  for (const CurvePiece& piece : pieces) {
    put_signed(out, difference(piece.first_ns, before.first_ns));
    put_signed(out, difference(piece.last_ns, piece.first_ns));
    put_signed(out, difference(piece.at.at, before.at.at));
    put_varint(out, static_cast<std::uint64_t>(piece.at.source));
    before = piece;
  }
}

bool read_pieces(ByteReader& in, std::vector<CurvePiece>& out) {
  out.resize(in.count(4));
  CurvePiece before;
  for (CurvePiece& piece : out) {
    piece.first_ns = sum(before.first_ns, in.signed_varint());
    piece.last_ns = sum(piece.first_ns, in.signed_varint());
    piece.at.at = sum(before.at.at, in.signed_varint());
    piece.at.source = static_cast<std::int64_t>(in.at_most(2));
    if (!in.ok() || piece.at.at < 0) return false;
    before = piece;
  }
  return in.ok();
}

template <typename T>
bool read_raw(ByteReader& in, T& out) {
  const auto bytes = in.bytes(sizeof out);
  if (!in.ok()) return false;
  out = base::load<T>(bytes, 0);
  return true;
}

void put_summary(std::string& out, const Pyramid::Summary& all) {
  put_varint(out, all.count);
  put_signed(out, all.first_ns);
  put_signed(out, all.first_step);
  base::append(out, all.first);
  put_varint(out, (all.has_steps ? 1U : 0U) | (all.steps_ascend ? 2U : 0U));
  base::append(out, all.whole);
}

bool read_summary_of(ByteReader& in, Pyramid::Summary& out) {
  out.count = in.varint();
  out.first_ns = in.signed_varint();
  out.first_step = in.signed_varint();
  if (!read_raw(in, out.first)) return false;
  const std::uint64_t flags = in.at_most(3);
  out.has_steps = (flags & 1) != 0;
  out.steps_ascend = (flags & 2) != 0;
  return read_raw(in, out.whole) && out.count > 0 && run::plausible_ns(out.first_ns) &&
         run::plausible_ns(out.whole.t_ns);
}

Result<std::string> read_bytes(DiskFile& file, std::uint64_t at, std::uint64_t bytes) {
  std::string out(static_cast<std::size_t>(bytes), '\0');
  const auto got = file.read_at(at, out.data(), out.size());
  if (!got) return std::unexpected(got.error());
  out.resize(*got);
  return out;
}

}  // namespace

// Header, table, and the levels of one curve after the other.
std::string KeptCurves::encode(const RecordingStamp& stamp, std::int64_t start_ns,
                               const CurveSums& sums) {
  std::string table, levels;
  put_signed(table, start_ns);
  put_varint(table, sums.ranks_.size());
  for (const auto& [pid, rank] : sums.ranks_) {
    put_varint(table, static_cast<std::uint64_t>(pid));
    put_varint(table, static_cast<std::uint64_t>(rank));
  }
  put_varint(table, sums.value_pieces_.size());
  for (const auto& [pid, pieces] : sums.value_pieces_) {
    put_varint(table, static_cast<std::uint64_t>(pid));
    put_pieces(table, pieces);
  }
  put_pieces(table, sums.sample_pieces_);
  std::size_t curves = 0;
  for (const auto& curve : sums.curves_) curves += curve->pyramid.count() > 0 ? 1 : 0;
  put_varint(table, curves);
  for (const auto& curve : sums.curves_) {
    if (curve->pyramid.count() == 0) continue;
    table.push_back(curve->value ? 1 : 0);
    if (curve->value) {
      put_varint(table, static_cast<std::uint64_t>(curve->value->pid));
      put_varint(table, curve->value->track);
      put_varint(table, curve->value->name.size());
      table += curve->value->name;
    } else {
      put_varint(table, static_cast<std::uint64_t>(curve->metric->metric));
      put_signed(table, curve->metric->source);
    }
    put_summary(table, curve->pyramid.summary());
    const std::size_t at = levels.size();
    curve->pyramid.append_levels(levels);
    put_varint(table, levels.size() - at);
    base::append(table, checksum_of(std::string_view(levels).substr(at), at));
  }
  if (table.size() > kMostTableBytes) return {};
  std::string out = header_of(stamp, table);
  out += table;
  out += levels;
  return out;
}

bool KeptCurves::read_table(std::string_view table, std::uint64_t file_bytes, CurveSums& sums) {
  ByteReader in(table);
  levels_at_ = kKeptHeaderBytes + table.size();
  start_ns_ = in.signed_varint();
  if (!run::plausible_ns(start_ns_)) return false;
  for (std::size_t left = in.count(2); left > 0; --left) {
    const auto pid = static_cast<pid_t>(in.at_most(kMostPid));
    sums.ranks_[pid] = static_cast<int>(in.at_most(kMostRank));
  }
  for (std::size_t left = in.count(2); left > 0; --left) {
    const auto pid = static_cast<pid_t>(in.at_most(kMostPid));
    if (!read_pieces(in, sums.value_pieces_[pid])) return false;
  }
  if (!read_pieces(in, sums.sample_pieces_)) return false;
  std::uint64_t at = 0;
  for (std::size_t left = in.count(90); left > 0 && in.ok(); --left) {
    SummedCurve* curve = nullptr;
    if (in.byte() == 1) {
      ValueName name;
      name.pid = static_cast<pid_t>(in.at_most(kMostPid));
      name.track = in.u32();
      name.name = in.bytes(static_cast<std::size_t>(in.at_most(kMostNameBytes)));
      if (in.ok()) curve = &sums.curve_of(std::move(name));
    } else {
      const auto metric = static_cast<run::Metric>(in.at_most(UINT16_MAX));
      const std::int64_t source = in.signed_varint();
      if (in.ok() && std::in_range<std::int32_t>(source)) {
        curve = &sums.curve_of({.metric = metric, .source = static_cast<std::int32_t>(source)});
      }
    }
    Pyramid::Summary summary;
    KeptLevels levels;
    if (curve == nullptr || !read_summary_of(in, summary)) return false;
    levels.bytes = in.varint();
    if (!read_raw(in, levels.checksum)) return false;
    if (levels.bytes > file_bytes - levels_at_ - at) return false;
    levels.at = levels_at_ + at;
    at += levels.bytes;
    curve->pyramid = Pyramid(summary);
    curve->kept = levels;
  }
  return in.ok() && in.at_end() && at == file_bytes - levels_at_;
}

std::optional<KeptCurves> KeptCurves::open(const std::filesystem::path& folder,
                                           const RecordingStamp& stamp, CurveSums& sums) {
  auto file = system_disk().open_to_read(folder / kKeptCurvesName);
  if (!file) return std::nullopt;
  const auto status = (*file)->status();
  const auto header = read_bytes(**file, 0, kKeptHeaderBytes);
  const auto bytes = header ? table_bytes(*header, stamp) : std::nullopt;
  if (!status || !bytes || status->bytes < kKeptHeaderBytes + *bytes) return std::nullopt;
  const auto table = read_bytes(**file, kKeptHeaderBytes, *bytes);
  if (!table || checksum_of(*table, 1) != base::load<std::int64_t>(*header, 56)) {
    return std::nullopt;
  }
  KeptCurves kept(std::move(*file));
  CurveSums found;
  if (!kept.read_table(*table, status->bytes, found)) return std::nullopt;
  sums = std::move(found);
  return kept;
}

bool KeptCurves::load(SummedCurve& curve) {
  if (!curve.kept) return true;
  const auto levels = read_bytes(*file_, curve.kept->at, curve.kept->bytes);
  // Seeded with where they lie among the levels, which no other curve's do.
  if (!levels || levels->size() != curve.kept->bytes ||
      checksum_of(*levels, curve.kept->at - levels_at_) != curve.kept->checksum ||
      !curve.pyramid.set_levels(*levels)) {
    return false;
  }
  curve.kept.reset();
  return true;
}

std::optional<std::string> kept_curves_file(PointScan& scan, const RecordingStamp& opened,
                                            const CurveSums& sums, std::uint64_t least_points) {
  if (!scan.ended() || sums.points() < least_points) return std::nullopt;
  const auto now = scan.stamp();
  if (!now || *now != opened) return std::nullopt;
  std::string file = KeptCurves::encode(*now, scan.info().started_ns, sums);
  if (file.empty() || file.size() > kMostKeptBytes) return std::nullopt;
  return file;
}

// A name of its own for all writers, and a lock on it: what a killed one leaves is no second file.
Result<void> write_kept_curves(const std::filesystem::path& folder, std::string_view bytes) {
  const std::filesystem::path path = folder / kKeptCurvesName;
  const std::string temporary = path.string() + ".tmp";
  const base::UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fd) return base::fail_errno(errno, "cannot write " + temporary);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return base::fail(base::ErrorCode::kExists, temporary + " is being written");
  }
  // Whoever had the lock has given the file its name since.
  struct stat opened{}, named{};
  if (::fstat(fd.get(), &opened) != 0 || ::lstat(temporary.c_str(), &named) != 0 ||
      opened.st_ino != named.st_ino || !S_ISREG(opened.st_mode)) {
    return base::fail(base::ErrorCode::kExists, temporary + " was written just now");
  }
  Result<void> done;
  if (::ftruncate(fd.get(), 0) != 0) done = base::fail_errno(errno, "cannot write " + temporary);
  if (done) done = base::write_all(fd.get(), bytes, temporary);
  if (done && ::rename(temporary.c_str(), path.c_str()) != 0) {
    done = base::fail_errno(errno, "cannot replace " + path.string());
  }
  if (!done) ::unlink(temporary.c_str());
  return done;
}

void keep_curves(const std::filesystem::path& folder) {
  auto scan = PointScan::open(folder);
  if (!scan || !scan->sealed()) return;
  const auto opened = scan->stamp();
  CurveSums sums;
  if (!opened || !scan->next(sums)) return;
  if (const auto file = kept_curves_file(*scan, *opened, sums)) {
    (void)write_kept_curves(folder, *file);
  }
}

}  // namespace flatout::store
