#include "store/sealed/sealer.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>

#include "store/sealed/point_codec.h"
#include "store/sealed/sealed_reader.h"
#include "store/sealed/sealed_schema.h"

namespace flatout::store {
namespace {

using base::Result;

constexpr std::size_t kChunkPoints = 4096;
constexpr std::size_t kChunkEvents = 8192;

template <typename T>
std::string_view bytes_of(std::span<const T> items) {
  return {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
}

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) {
  return static_cast<std::uint64_t>(checksum_of(bytes, hash));
}
std::uint64_t mix_points(std::uint64_t hash, std::span<const std::int64_t> times,
                         std::span<const double> values) {
  return mix(mix(hash, bytes_of(times)), bytes_of(values));
}
std::uint64_t stated_hash(std::int64_t type, std::string_view payload) {
  return mix(static_cast<std::uint64_t>(type), payload);
}

// What differs between kinds of events: frame type, codec.
template <typename T>
struct Kind;
template <>
struct Kind<run::PhaseEvent> {
  static constexpr FrameType kType = FrameType::kPhases;
  static std::string encode(pid_t pid, std::span<const run::PhaseEvent> items) {
    return encode_phases(pid, items);
  }
};
template <>
struct Kind<run::Batch> {
  static constexpr FrameType kType = FrameType::kBatches;
  static std::string encode(pid_t pid, std::span<const run::Batch> items) {
    return encode_batches(pid, items);
  }
};
template <>
struct Kind<run::DevicePhase> {
  static constexpr FrameType kType = FrameType::kDevicePhases;
  static std::string encode(pid_t pid, std::span<const run::DevicePhase> items) {
    return encode_device_phases(pid, items);
  }
};
template <>
struct Kind<run::NamedValue> {
  static constexpr FrameType kType = FrameType::kValues;
  static std::string encode(pid_t pid, std::span<const run::NamedValue> items) {
    return encode_values(pid, items);
  }
};

template <>
struct Kind<run::DeviceActivity> {
  static constexpr FrameType kType = FrameType::kActivities;
  static std::string encode(pid_t pid, std::span<const run::DeviceActivity> items) {
    return encode_activities(pid, items);
  }
};
template <>
struct Kind<run::HostSpan> {
  static constexpr FrameType kType = FrameType::kHostSpans;
  static std::string encode(pid_t pid, std::span<const run::HostSpan> items) {
    return encode_host_spans(pid, items);
  }
};
template <>
struct Kind<run::TraceWindow> {
  static constexpr FrameType kType = FrameType::kTraceWindows;
  static std::string encode(pid_t pid, std::span<const run::TraceWindow> items) {
    return encode_trace_windows(pid, items);
  }
};

// In order of time, points of the same time as they came.
void sort_points(std::vector<std::int64_t>& times, std::vector<double>& values) {
  if (std::ranges::is_sorted(times)) return;
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times[i]; });
  std::vector<std::int64_t> sorted_times;
  std::vector<double> sorted_values;
  for (const auto i : order) {
    sorted_times.push_back(times[i]);
    sorted_values.push_back(values[i]);
  }
  times = std::move(sorted_times);
  values = std::move(sorted_values);
}

}  // namespace

// Where the times of a chunk stand.
struct Sealer::Column {
  std::size_t number = 0;
  std::size_t from = 0;
};

// The columns of times of one cut. A series whose times are a piece of a
// column, at its start or its end (a process that came later, a rate that
// needs two readings), takes that column.
class Sealer::Columns {
 public:
  Column find_or_add(std::span<const std::int64_t> times) {
    for (const auto number : candidates(ends_, times.back())) {
      if (fits(number, columns_[number].size() - times.size(), times)) {
        return {number, columns_[number].size() - times.size()};
      }
    }
    for (const auto number : candidates(starts_, times.front())) {
      if (fits(number, 0, times)) return {number, 0};
    }
    columns_.push_back(times);
    ends_[times.back()].push_back(columns_.size() - 1);
    starts_[times.front()].push_back(columns_.size() - 1);
    return {columns_.size() - 1, 0};
  }
  const std::vector<std::span<const std::int64_t>>& all() const { return columns_; }

 private:
  using Index = std::unordered_map<std::int64_t, std::vector<std::size_t>>;
  static constexpr std::size_t kMostTries = 4;
  static std::span<const std::size_t> candidates(const Index& index, std::int64_t time) {
    const auto found = index.find(time);
    if (found == index.end()) return {};
    return std::span(found->second).first(std::min(found->second.size(), kMostTries));
  }
  bool fits(std::size_t number, std::size_t from, std::span<const std::int64_t> times) const {
    const auto& column = columns_[number];
    return times.size() <= column.size() &&
           std::ranges::equal(column.subspan(from, times.size()), times);
  }

  std::vector<std::span<const std::int64_t>> columns_;
  Index starts_, ends_;
};

Result<void> Sealer::add_raw(const Frame& frame) {
  const auto type = static_cast<std::int64_t>(frame.type);
  const std::int64_t seq = next_seq_++;
  stated_[seq] = stated_hash(type, frame.payload);
  ++digest_.rows;
  return writer_.add_record(seq, type, frame.payload);
}

Result<void> Sealer::add_note(std::string_view line) {
  const std::int64_t seq = next_seq_++;
  stated_[seq] = stated_hash(kNoteRecord, line);
  ++digest_.rows;
  return writer_.add_record(seq, kNoteRecord, line);
}

Result<void> Sealer::add(const Frame& frame) {
  // A frame that does not decode is kept as it is: a later flatout may know it.
  const auto keep_latest = [&](const char* key, bool whole) -> Result<void> {
    if (!whole) return add_raw(frame);
    latest_[key] = frame.payload;
    return {};
  };
  const auto gather_if_whole = [&](auto& events, auto decoded) -> Result<void> {
    if (!decoded) return add_raw(frame);
    return gather(events, std::move(*decoded));
  };
  switch (frame.type) {
    case FrameType::kInfo: {
      auto info = decode_info(frame.payload);
      if (info) info_ = std::move(*info);
      return keep_latest(kInfoKey, info.has_value());
    }
    case FrameType::kEnd:
      return keep_latest(kEndKey, decode_end(frame.payload).has_value());
    case FrameType::kCounts:
      return keep_latest(kCountsKey, decode_counts(frame.payload).has_value());
    case FrameType::kDropped:
      return keep_latest(kDroppedKey, decode_dropped(frame.payload).has_value());
    case FrameType::kRecovered:
      return keep_latest(kRecoveredKey, decode_recovered(frame.payload).has_value());
    case FrameType::kPhases:
      return gather_if_whole(phases_, decode_phases(frame.payload));
    case FrameType::kBatches:
      return gather_if_whole(batches_, decode_batches(frame.payload));
    case FrameType::kDevicePhases:
      return gather_if_whole(device_phases_, decode_device_phases(frame.payload));
    case FrameType::kValues:
      return gather_if_whole(values_, decode_values(frame.payload));
    case FrameType::kActivities:
      return gather_if_whole(activities_, decode_activities(frame.payload));
    case FrameType::kHostSpans:
      return gather_if_whole(host_spans_, decode_host_spans(frame.payload));
    case FrameType::kTraceWindows:
      return gather_if_whole(trace_windows_, decode_trace_windows(frame.payload));
    case FrameType::kSamples: {
      const auto samples = decode_samples(frame.payload);
      return samples ? add_samples(*samples) : add_raw(frame);
    }
    default:
      return add_raw(frame);
  }
}

template <typename T>
Result<void> Sealer::gather(ByProcess<T>& events, OfProcess<std::vector<T>> more) {
  auto& known = events[more.pid];
  for (auto& item : more.value) {
    if (known.items.empty()) known.seq = next_seq_++;
    known.items.push_back(std::move(item));
    if (known.items.size() < kChunkEvents) continue;
    if (auto done = write(more.pid, known); !done) return done;
  }
  return {};
}

template <typename T>
Result<void> Sealer::write(pid_t pid, Events<T>& events) {
  auto done = write_part(events.seq, pid, std::span<const T>(events.items));
  events.items.clear();
  return done;
}

template <typename T>
Result<void> Sealer::write_part(std::int64_t seq, pid_t pid, std::span<const T> items) {
  const std::string payload = Kind<T>::encode(pid, items);
  if (payload.size() > kMaxFrameBytes && items.size() > 1) {
    const std::size_t half = items.size() / 2;
    if (auto done = write_part(seq, pid, items.first(half)); !done) return done;
    return write_part(next_seq_++, pid, items.subspan(half));
  }
  const auto time = [](const T& item) { return run::record_time(item); };
  const auto [first, last] = std::ranges::minmax(items, {}, time);
  const auto type = static_cast<std::int64_t>(Kind<T>::kType);
  stated_[seq] = stated_hash(type, payload);
  ++digest_.rows;
  return writer_.add_event(seq, type, pid, items.size(), time(first), time(last), payload);
}

template <typename T>
Result<void> Sealer::write_all(ByProcess<T>& events) {
  for (auto& [pid, known] : events) {
    if (known.items.empty()) continue;
    if (auto done = write(pid, known); !done) return done;
  }
  return {};
}

Result<void> Sealer::add_samples(const std::vector<run::Sample>& samples) {
  for (const auto& sample : samples) {
    auto& series = series_[{.metric = sample.metric, .source = sample.source}];
    series.times.push_back(sample.t_ns);
    series.values.push_back(sample.value);
    if (series.times.size() < kChunkPoints) continue;
    if (auto done = write_series(); !done) return done;
  }
  return {};
}

Result<void> Sealer::write_series() {
  struct Piece {
    const run::SeriesKey* key;
    Series* series;
    Column column;
  };
  std::vector<Piece> pieces;
  for (auto& [key, series] : series_) {
    if (series.times.empty()) continue;
    sort_points(series.times, series.values);
    pieces.push_back({&key, &series, {}});
  }
  // Longest first: the others may be pieces of them.
  std::ranges::stable_sort(pieces, std::ranges::greater(),
                           [](const Piece& piece) { return piece.series->times.size(); });
  Columns columns;
  for (auto& piece : pieces) piece.column = columns.find_or_add(piece.series->times);
  std::vector<std::int64_t> ids;
  for (const auto& column : columns.all()) {
    const auto id = writer_.add_times(column);
    if (!id) return std::unexpected(id.error());
    ids.push_back(*id);
  }
  // Chunks that share a column stand together: a reader decodes it once.
  std::ranges::stable_sort(pieces, {}, [](const Piece& piece) { return piece.column.number; });
  for (const auto& [key, series, column] : pieces) {
    auto done = writer_.add_chunk(*key, ids[column.number], column.from, series->times,
                                  series->values, series->before_ns);
    if (!done) return done;
    auto& hash = digest_.series[*key];
    hash = mix_points(hash, series->times, series->values);
    ++digest_.chunks;
    digest_.points += series->times.size();
  }
  for (const auto& piece : pieces) {
    piece.series->before_ns = piece.series->times.back();
    piece.series->times.clear();
    piece.series->values.clear();
  }
  return {};
}

Result<void> Sealer::finish() {
  for (const auto& [key, value] : latest_) {
    if (auto done = writer_.put(key, value); !done) return done;
    digest_.keyed = mix(mix(digest_.keyed, key), value);  // in order of key, as digest_of
  }
  if (auto done = write_all(phases_); !done) return done;
  if (auto done = write_all(batches_); !done) return done;
  if (auto done = write_all(device_phases_); !done) return done;
  if (auto done = write_all(values_); !done) return done;
  if (auto done = write_all(activities_); !done) return done;
  if (auto done = write_all(host_spans_); !done) return done;
  if (auto done = write_all(trace_windows_); !done) return done;
  if (auto done = write_series(); !done) return done;
  for (const auto& [seq, hash] : stated_) {
    digest_.stated = mix(digest_.stated, {reinterpret_cast<const char*>(&hash), sizeof hash});
  }
  return writer_.finish();
}

SealedDigest digest_of(SealedReader& reader) {
  SealedDigest out;
  for (const char* key : {kCountsKey, kDroppedKey, kEndKey, kInfoKey, kRecoveredKey}) {
    if (const auto value = reader.value(key)) out.keyed = mix(mix(out.keyed, key), *value);
  }
  reader.stated([&out](StatedRow, std::int64_t type, std::string_view payload) {
    ++out.rows;
    const std::uint64_t hash = stated_hash(type, payload);
    out.stated = mix(out.stated, {reinterpret_cast<const char*>(&hash), sizeof hash});
    return true;
  });
  reader.points([&out](const run::SeriesKey& key, std::span<const std::int64_t> times,
                       std::span<const double> values) {
    auto& hash = out.series[key];
    hash = mix_points(hash, times, values);
    ++out.chunks;
    out.points += times.size();
    return true;
  });
  return out;
}

}  // namespace flatout::store
