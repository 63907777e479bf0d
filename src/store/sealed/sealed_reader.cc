#include "store/sealed/sealed_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "store/frame_log.h"
#include "store/json_fields.h"
#include "store/sealed/point_codec.h"
#include "store/sealed/sealed_schema.h"

namespace flatout::store {
namespace {

using base::ErrorCode;
using base::Result;

constexpr const char* kChunkColumns =
    "id, metric, source, t_min, t_max, count, finite, min, max, sum, times, times_from, raw, "
    "checksum";

constexpr const char* kAllRecords = "SELECT seq, type, payload, checksum FROM record ORDER BY seq";
constexpr const char* kOneRecord = "SELECT seq, type, payload, checksum FROM record WHERE seq=?";
// Of types that are not wanted (a bit each; -1: all are) the data is not fetched, which is what
// costs.
constexpr const char* kAllEvents =
    "SELECT seq, type, pid, count, t_min, t_max, raw, checksum,"
    " CASE WHEN ?1=-1 OR (?1>>type)&1 THEN data END FROM event ORDER BY seq";
constexpr const char* kOneEvent =
    "SELECT seq, type, pid, count, t_min, t_max, raw, checksum, data FROM event WHERE seq=?";

// Within what a size or a count of a row may be.
bool within(std::int64_t value, std::size_t most) {
  return value >= 0 && static_cast<std::uint64_t>(value) <= most;
}

}  // namespace

Result<SealedReader> SealedReader::open(const std::filesystem::path& path, Disk& disk) {
  auto file = disk.open_to_read(path);
  if (!file) return std::unexpected(file.error());
  return over(std::move(*file), path.string());
}

Result<SealedReader> SealedReader::over(std::unique_ptr<DiskFile> file, std::string name) {
  auto database = Database::over(std::move(file), VfsMode::kRead, std::move(name));
  if (!database) return std::unexpected(database.error());
  SealedReader reader(std::move(*database));
  if (auto fits = reader.check(); !fits) return std::unexpected(fits.error());
  if (auto done = reader.prepare(); !done) return std::unexpected(done.error());
  return reader;
}

Result<void> SealedReader::check() {
  const std::string& name = database_.name();
  const auto application = database_.integer("PRAGMA application_id");
  if (!application) return std::unexpected(application.error());
  if (*application != kSealedApplicationId) {
    return base::fail(ErrorCode::kInvalid, name + " is no run of flatout");
  }
  const auto version = database_.integer("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  if (*version > kSealedVersion) {
    return base::fail(ErrorCode::kUnavailable,
                      name + " has format version " + std::to_string(**version) +
                          ", written by a newer flatout; update flatout to read it");
  }
  const auto schema = database_.schema();
  if (!schema) return std::unexpected(schema.error());
  static const auto expected = Database::schema_after(kSealedSchema);
  if (!expected) return std::unexpected(expected.error());
  if (*schema != *expected) {
    return base::fail(ErrorCode::kCorrupt,
                      name + " has other tables than a run of flatout; it was changed or damaged");
  }
  return {};
}

Result<void> SealedReader::prepare() {
  const std::pair<Statement*, const char*> statements[] = {
      {&times_, "SELECT count, raw, checksum, data FROM times WHERE id=?"},
      {&data_, "SELECT checksum, data FROM chunk_data WHERE id=?"},
      {&zoom_, "SELECT raw, checksum, data FROM zoom WHERE id=?"},
      {&record_, kOneRecord},
      {&event_, kOneEvent}};
  for (const auto& [statement, sql] : statements) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

std::optional<std::string> SealedReader::value(const char* key) {
  auto statement = database_.prepare("SELECT value, checksum FROM run WHERE key=?");
  if (!statement) return std::nullopt;
  statement->bind_text(1, key);
  if (!statement->step()) return std::nullopt;
  std::string out(statement->bytes(0));
  if (out.size() <= kMaxFrameBytes && statement->integer(1) == row_checksum(key, out)) return out;
  ++damage_.rows;
  return std::nullopt;
}

void SealedReader::end_of_table(const Statement& statement) {
  if (statement.failed() && damage_.problem.empty()) damage_.problem = statement.error().message;
}

// Rows that vanished leave no other trace than the totals.
void SealedReader::expect(const char* table, std::uint64_t seen) {
  const auto totals = value(kTotalsKey);
  std::uint64_t expected = 0;
  Fields fields(totals.value_or("{}"), "totals");
  fields.read(table, expected);
  if (expected > seen) damage_.missing += expected - seen;
}

bool SealedReader::record_payload(Statement& row, std::string_view& out) {
  out = row.bytes(2);
  return out.size() <= kMaxFrameBytes &&
         row.integer(3) == row_checksum("record", out, row.integer(0), row.integer(1));
}

bool SealedReader::event_payload(Statement& row, std::string_view& out) {
  const auto data = row.bytes(8);
  const std::int64_t raw = row.integer(6);
  const bool whole =
      row.integer(7) == row_checksum("event", data, row.integer(0), row.integer(1), row.integer(2),
                                     row.integer(3), row.integer(4), row.integer(5), raw);
  return whole && within(raw, kMaxFrameBytes) &&
         packer_->unpack(data, static_cast<std::size_t>(raw), out);
}

bool SealedReader::payload(StatedRow row, std::string_view& out) {
  Statement& one = row.event ? event_ : record_;
  one.reset();
  one.bind(1, row.seq);
  if (!one.step()) return false;
  return row.event ? event_payload(one, out) : record_payload(one, out);
}

// Two tables merged by seq. Keys must grow: a tree of pages that leads in
// circles, as only a made-up file has, would go on for ever.
void SealedReader::stated(const TakeStated& take, FrameTypes events_of) {
  auto records = database_.prepare(kAllRecords);
  auto events = database_.prepare(kAllEvents);
  if (!records || !events) {
    damage_.problem = (records ? events.error() : records.error()).message;
    return;
  }
  events->bind(1, events_of.bits());
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::uint64_t seen_records = 0;
  std::uint64_t seen_events = 0;
  const auto next = [this](Statement& rows, std::int64_t last, std::uint64_t& seen) {
    if (!rows.step()) {
      end_of_table(rows);
      return kNone;
    }
    const std::int64_t seq = rows.integer(0);
    if (seq <= last) {
      damage_.problem = database_.name() + ": its rows are out of order";
      return kNone;
    }
    ++seen;
    return seq;
  };
  std::int64_t record = next(*records, -1, seen_records);
  std::int64_t event = next(*events, -1, seen_events);
  bool go_on = true;
  while (go_on && (record != kNone || event != kNone)) {
    const bool is_record = record <= event;
    Statement& row = is_record ? *records : *events;
    std::string_view payload;
    if (!is_record && !events_of.has(row.integer(1))) {
      // Counted, and not looked at.
    } else if (is_record ? record_payload(row, payload) : event_payload(row, payload)) {
      go_on = take({.seq = row.integer(0), .event = !is_record}, row.integer(1), payload);
    } else {
      ++damage_.rows;
    }
    std::int64_t& at = is_record ? record : event;
    at = next(row, at, is_record ? seen_records : seen_events);
  }
  if (!go_on) return;
  expect("records", seen_records);
  expect("events", seen_events);
}

bool SealedReader::take_head(Statement& row, ChunkHead& out) {
  const std::int64_t metric = row.integer(1);
  const std::int64_t source = row.integer(2);
  const std::int64_t count = row.integer(5);
  const std::int64_t finite = row.integer(6);
  const std::int64_t from = row.integer(11);
  const std::int64_t raw = row.integer(12);
  out.id = row.integer(0);
  out.t_min = row.integer(3);
  out.t_max = row.integer(4);
  out.stats.min = row.real(7);
  out.stats.max = row.real(8);
  out.stats.sum = row.real(9);
  out.times = row.integer(10);
  const bool whole =
      row.integer(13) == row_checksum("chunk", {}, out.id, metric, source, out.t_min, out.t_max,
                                      count, finite, out.stats.min, out.stats.max, out.stats.sum,
                                      out.times, from, raw);
  const bool fits = whole && within(metric, UINT16_MAX) && std::in_range<std::int32_t>(source) &&
                    count > 0 && within(count, kMaxChunkPoints) && within(from, kMaxChunkPoints) &&
                    finite >= 0 && finite <= count && out.t_min <= out.t_max &&
                    within(raw, kMaxPointBytes);
  if (!fits) {
    ++damage_.rows;
    return false;
  }
  out.key = {.metric = static_cast<run::Metric>(metric),
             .source = static_cast<std::int32_t>(source)};
  out.stats.count = static_cast<std::uint64_t>(count);
  out.stats.finite = static_cast<std::uint64_t>(finite);
  out.times_from = static_cast<std::size_t>(from);
  out.raw = static_cast<std::size_t>(raw);
  return true;
}

bool SealedReader::load_times(std::int64_t id) {
  if (id == loaded_times_) return true;
  loaded_times_ = -1;
  times_.reset();
  times_.bind(1, id);
  if (!times_.step()) return false;
  const std::int64_t count = times_.integer(0);
  const std::int64_t raw = times_.integer(1);
  const auto data = times_.bytes(3);
  std::string_view bytes;
  const bool fits = times_.integer(2) == row_checksum("times", data, id, count, raw) &&
                    within(count, kMaxChunkPoints) && within(raw, kMaxPointBytes) &&
                    packer_->unpack(data, static_cast<std::size_t>(raw), bytes) &&
                    decode_times(bytes, static_cast<std::size_t>(count), column_);
  if (fits) loaded_times_ = id;
  return fits;
}

bool SealedReader::chunk_times(const ChunkHead& head, std::span<const std::int64_t>& out) {
  if (!load_times(head.times)) return false;
  const auto count = static_cast<std::size_t>(head.stats.count);
  if (head.times_from > column_.size() || count > column_.size() - head.times_from) return false;
  out = std::span<const std::int64_t>(column_).subspan(head.times_from, count);
  return std::ranges::is_sorted(out);
}

bool SealedReader::chunk_data(const ChunkHead& head, std::string_view& out) {
  data_.reset();
  data_.bind(1, head.id);
  if (!data_.step()) return false;
  out = data_.bytes(1);
  return data_.integer(0) == row_checksum("data", out, head.id);
}

bool SealedReader::decode(const ChunkHead& head, std::vector<std::int64_t>& times,
                          std::vector<double>& values) {
  const auto decoded = [&] {
    std::span<const std::int64_t> column;
    if (!chunk_times(head, column)) return false;
    times.assign(column.begin(), column.end());
    std::string_view data;
    std::string_view bytes;
    return chunk_data(head, data) && packer_->unpack(data, head.raw, bytes) &&
           decode_values(bytes, times, values);
  };
  if (decoded()) return true;
  ++damage_.rows;
  return false;
}

bool SealedReader::zoom(const ChunkHead& head, std::vector<ZoomEntry>& out) {
  zoom_.reset();
  zoom_.bind(1, head.id);
  if (!zoom_.step()) return false;
  const std::int64_t raw = zoom_.integer(0);
  const auto data = zoom_.bytes(2);
  std::string_view bytes;
  return zoom_.integer(1) == row_checksum("zoom", data, head.id, raw) &&
         within(raw, kMaxPointBytes) &&
         packer_->unpack(data, static_cast<std::size_t>(raw), bytes) &&
         decode_zoom(bytes, static_cast<std::size_t>(head.stats.count), out);
}

void SealedReader::each_chunk(const std::function<bool(const ChunkHead&)>& take) {
  const std::string sql = std::string("SELECT ") + kChunkColumns + " FROM chunk ORDER BY id";
  auto rows = database_.prepare(sql.c_str());
  if (!rows) {
    damage_.problem = rows.error().message;
    return;
  }
  std::uint64_t seen = 0;
  for (std::int64_t last = 0; rows->step(); ++seen) {
    ChunkHead head;
    const bool fits = take_head(*rows, head);
    if (head.id <= last) {
      damage_.problem = database_.name() + ": its rows are out of order";
      return;
    }
    last = head.id;
    if (fits && !take(head)) return;
  }
  end_of_table(*rows);
  expect("chunks", seen);
}

void SealedReader::times(const TakeTimes& take) {
  each_chunk([&](const ChunkHead& head) {
    std::span<const std::int64_t> column;
    std::string_view data;
    if (chunk_times(head, column) && chunk_data(head, data)) return take(head, column);
    ++damage_.rows;
    return true;
  });
}

void SealedReader::points(const TakePoints& take) {
  std::vector<std::int64_t> times;
  std::vector<double> values;
  each_chunk([&](const ChunkHead& head) {
    return !decode(head, times, values) || take(head.key, times, values);
  });
}

std::vector<ChunkHead> SealedReader::heads() {
  std::vector<ChunkHead> out;
  each_chunk([&out](const ChunkHead& head) {
    out.push_back(head);
    return true;
  });
  std::ranges::stable_sort(out, [](const ChunkHead& a, const ChunkHead& b) {
    return a.key != b.key ? a.key < b.key : a.t_min < b.t_min;
  });
  return out;
}

}  // namespace flatout::store
