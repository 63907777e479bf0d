#include "store/sealed/sealed_writer.h"

#include <utility>

#include "run/metric.h"
#include "store/json_fields.h"
#include "store/sealed/point_codec.h"
#include "store/sealed/sealed_schema.h"

namespace flatout::store {
namespace {

using base::Result;

// Below this many points a chunk is decoded as quickly as its zoom level.
constexpr std::size_t kLeastZoomedPoints = 4 * kZoomPoints;

// Small pages for small runs, where half of the last page of each of eight
// tables is most of the file; large ones where blobs of some KiB would leave
// much of a small page empty.
int page_bytes(std::uint64_t expected_bytes) {
  if (expected_bytes < 1U << 20) return 1024;
  return expected_bytes < 16U << 20 ? 4096 : 16384;
}

}  // namespace

Result<SealedWriter> SealedWriter::create(std::unique_ptr<DiskFile> file, std::string name,
                                          std::uint64_t expected_bytes) {
  auto database = Database::over(std::move(file), VfsMode::kWrite, std::move(name));
  if (!database) return std::unexpected(database.error());
  SealedWriter writer(std::move(*database));
  // A file that is thrown away when it is not finished needs no journal; a
  // hardened connection refuses OFF, and in memory only old pages are kept.
  const std::string pragmas =
      "PRAGMA page_size=" + std::to_string(page_bytes(expected_bytes)) +
      "; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
      "PRAGMA cache_size=-8192; PRAGMA application_id=" +
      std::to_string(kSealedApplicationId) +
      "; PRAGMA user_version=" + std::to_string(kSealedVersion) + "; BEGIN;" + kSealedSchema;
  if (auto done = writer.database_.execute(pragmas.c_str()); !done) {
    return std::unexpected(done.error());
  }
  if (auto done = writer.prepare(); !done) return std::unexpected(done.error());
  return writer;
}

Result<void> SealedWriter::prepare() {
  const std::pair<Statement*, const char*> statements[] = {
      {&run_, "INSERT OR REPLACE INTO run VALUES(?,?,?)"},
      {&record_, "INSERT INTO record VALUES(?,?,?,?)"},
      {&event_, "INSERT INTO event VALUES(?,?,?,?,?,?,?,?,?)"},
      {&times_, "INSERT INTO times VALUES(?,?,?,?,?)"},
      {&chunk_, "INSERT INTO chunk VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&data_, "INSERT INTO chunk_data VALUES(?,?,?)"},
      {&zoom_, "INSERT INTO zoom VALUES(?,?,?,?)"}};
  for (const auto& [statement, sql] : statements) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  auto names = database_.prepare("INSERT INTO metric VALUES(?,?,?)");
  if (!names) return std::unexpected(names.error());
  for (const auto& info : run::all_metrics()) {
    names->bind(1, static_cast<std::int64_t>(info.metric));
    names->bind_text(2, info.name).bind_text(3, info.unit);
    if (auto done = names->run(); !done) return done;
  }
  return {};
}

Result<void> SealedWriter::put(std::string_view key, std::string_view value) {
  return run_.bind_text(1, key).bind_text(2, value).bind(3, row_checksum(key, value)).run();
}

Result<void> SealedWriter::add_record(std::int64_t seq, std::int64_t type,
                                      std::string_view payload) {
  ++records_;
  record_.bind(1, seq).bind(2, type);
  // What is no JSON (a kind of frame that this flatout does not know) stays as it is.
  const bool text = !payload.empty() && payload.front() == '{';
  if (text || type == kNoteRecord) {
    record_.bind_text(3, payload);
  } else {
    record_.bind_blob(3, payload);
  }
  return record_.bind(4, row_checksum("record", payload, seq, type)).run();
}

Result<void> SealedWriter::add_event(std::int64_t seq, std::int64_t type, pid_t pid,
                                     std::size_t count, std::int64_t t_min, std::int64_t t_max,
                                     std::string_view payload) {
  ++events_;
  const auto data = packer_->pack(payload);
  const auto items = static_cast<std::int64_t>(count);
  const auto raw = static_cast<std::int64_t>(payload.size());
  event_.bind(1, seq).bind(2, type).bind(3, std::int64_t{pid}).bind(4, items);
  event_.bind(5, t_min).bind(6, t_max).bind(7, raw);
  event_.bind(8, row_checksum("event", data, seq, type, pid, items, t_min, t_max, raw));
  return event_.bind_blob(9, data).run();
}

Result<std::int64_t> SealedWriter::add_times(std::span<const std::int64_t> times) {
  raw_.clear();
  encode_times(times, raw_);
  const auto data = packer_->pack(raw_);
  const std::int64_t id = next_times_++;
  const auto count = static_cast<std::int64_t>(times.size());
  const auto raw = static_cast<std::int64_t>(raw_.size());
  times_.bind(1, id).bind(2, count).bind(3, raw);
  times_.bind(4, row_checksum("times", data, id, count, raw)).bind_blob(5, data);
  if (auto done = times_.run(); !done) return std::unexpected(done.error());
  return id;
}

Result<void> SealedWriter::add_zoom(std::span<const std::int64_t> times,
                                    std::span<const double> values) {
  raw_.clear();
  encode_zoom(times, values, raw_);
  const auto data = packer_->pack(raw_);
  const auto raw = static_cast<std::int64_t>(raw_.size());
  zoom_.bind(1, next_chunk_).bind(2, raw);
  return zoom_.bind(3, row_checksum("zoom", data, next_chunk_, raw)).bind_blob(4, data).run();
}

Result<void> SealedWriter::add_chunk(const run::SeriesKey& key, std::int64_t times_id,
                                     std::size_t from, std::span<const std::int64_t> times,
                                     std::span<const double> values,
                                     std::optional<std::int64_t> before_ns) {
  if (values.size() >= kLeastZoomedPoints) {
    if (auto done = add_zoom(times, values); !done) return done;
  }
  raw_.clear();
  encode_values(values, times, before_ns, raw_);
  const auto data = packer_->pack(raw_);
  const PointStats stats = stats_of(values);
  const auto metric = static_cast<std::int64_t>(key.metric);
  const std::int64_t source = key.source;
  const auto count = static_cast<std::int64_t>(stats.count);
  const auto finite = static_cast<std::int64_t>(stats.finite);
  const auto start = static_cast<std::int64_t>(from);
  const auto raw = static_cast<std::int64_t>(raw_.size());
  chunk_.bind(1, next_chunk_).bind(2, metric).bind(3, source);
  chunk_.bind(4, times.front()).bind(5, times.back()).bind(6, count).bind(7, finite);
  chunk_.bind(8, stats.min).bind(9, stats.max).bind(10, stats.sum);
  chunk_.bind(11, stats.first).bind(12, stats.last);
  chunk_.bind(13, times_id).bind(14, start).bind(15, raw);
  // first and last are for people: NaN would come back as NULL.
  chunk_.bind(
      16, row_checksum("chunk", {}, next_chunk_, metric, source, times.front(), times.back(), count,
                       finite, stats.min, stats.max, stats.sum, times_id, start, raw));
  if (auto done = chunk_.run(); !done) return done;
  data_.bind(1, next_chunk_).bind(2, row_checksum("data", data, next_chunk_)).bind_blob(3, data);
  ++next_chunk_;
  points_ += values.size();
  return data_.run();
}

Result<void> SealedWriter::finish() {
  const Json totals = {{"records", records_},
                       {"events", events_},
                       {"times", next_times_ - 1},
                       {"chunks", next_chunk_ - 1},
                       {"points", points_}};
  if (auto done = put(kTotalsKey, dump(totals)); !done) return done;
  return database_.execute("COMMIT");
}

}  // namespace flatout::store
