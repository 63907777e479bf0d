#include "store/series_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "run/plausible.h"
#include "store/seal.h"
#include "store/sealed/sealed_reader.h"

namespace flatout::store {
namespace {

using base::ErrorCode;
using base::Result;
using run::Point;
using run::SeriesKey;

// Adds up what falls into each slice.
class Slices {
 public:
  Slices(std::int64_t from_ns, std::int64_t to_ns, std::size_t buckets)
      : from_(from_ns),
        to_(to_ns),
        width_(static_cast<double>(to_ns - from_ns) / static_cast<double>(buckets)),
        sums_(buckets) {}

  double width_ns() const { return width_; }
  bool holds(std::int64_t t_ns) const { return t_ns >= from_ && t_ns < to_; }
  std::size_t at(std::int64_t t_ns) const {
    const auto slice = static_cast<std::size_t>(static_cast<double>(t_ns - from_) / width_);
    return std::min(slice, sums_.size() - 1);
  }
  void add(std::int64_t t_ns, std::uint64_t count, std::uint64_t finite, double min, double max,
           double sum) {
    Sum& into = sums_[at(t_ns)];
    into.count += count;
    if (finite == 0) return;
    into.min = into.finite == 0 ? min : std::min(into.min, min);
    into.max = into.finite == 0 ? max : std::max(into.max, max);
    into.sum += sum;
    into.finite += finite;
  }
  void add(std::int64_t t_ns, double value) {
    if (!holds(t_ns)) return;
    const bool finite = std::isfinite(value);
    add(t_ns, 1, finite ? 1 : 0, value, value, finite ? value : 0);
  }

  std::vector<Bucket> buckets() const {
    std::vector<Bucket> out;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const Sum& sum = sums_[i];
      if (sum.count == 0) continue;
      out.push_back({.start_ns = edge(i),
                     .end_ns = edge(i + 1),
                     .count = sum.count,
                     .finite = sum.finite,
                     .min = sum.min,
                     .max = sum.max,
                     .mean = sum.finite == 0 ? 0 : sum.sum / static_cast<double>(sum.finite)});
    }
    return out;
  }

 private:
  struct Sum {
    std::uint64_t count = 0, finite = 0;
    double min = 0, max = 0, sum = 0;
  };
  std::int64_t edge(std::size_t slice) const {
    if (slice == sums_.size()) return to_;
    return from_ + static_cast<std::int64_t>(width_ * static_cast<double>(slice));
  }
  std::int64_t from_, to_;
  double width_;
  std::vector<Sum> sums_;
};

}  // namespace

struct SeriesReader::State {
  std::vector<SeriesInfo> series;
  // A sealed run ...
  std::unique_ptr<SealedReader> sealed;
  std::map<SeriesKey, std::vector<ChunkHead>> heads;
  std::uint64_t decoded = 0;
  std::vector<std::int64_t> times;
  std::vector<double> values;
  std::vector<ZoomEntry> entries;
  // ... or one with its log.
  run::Timeline timeline;

  void list_sealed();
  void list_timeline();
  std::span<const ChunkHead> chunks(const SeriesKey& key) const;
  void collect(const ChunkHead& head, std::int64_t from, std::int64_t to, std::vector<Point>& out);
  void zoom(const ChunkHead& head, Slices& slices);
};

void SeriesReader::State::list_sealed() {
  for (const auto& head : sealed->heads()) {
    if (run::plausible_ns(head.t_min) && run::plausible_ns(head.t_max)) {
      heads[head.key].push_back(head);
    }
  }
  for (const auto& [key, chunks] : heads) {
    SeriesInfo info{.key = key, .count = 0, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
    for (const auto& chunk : chunks) {
      info.count += chunk.stats.count;
      info.first_ns = std::min(info.first_ns, chunk.t_min);
      info.last_ns = std::max(info.last_ns, chunk.t_max);
    }
    series.push_back(info);
  }
}

void SeriesReader::State::list_timeline() {
  for (const auto& [key, points] : timeline.series) {
    if (points.empty()) continue;
    series.push_back({.key = key,
                      .count = points.size(),
                      .first_ns = points.front().t_ns,
                      .last_ns = points.back().t_ns});
  }
}

std::span<const ChunkHead> SeriesReader::State::chunks(const SeriesKey& key) const {
  const auto found = heads.find(key);
  if (found == heads.end()) return {};
  return found->second;
}

void SeriesReader::State::collect(const ChunkHead& head, std::int64_t from, std::int64_t to,
                                  std::vector<Point>& out) {
  ++decoded;
  if (!sealed->decode(head, times, values)) return;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] >= from && times[i] < to) out.push_back({times[i], values[i]});
  }
}

// The coarsest level that is fine enough: a chunk that lies within one slice
// as a whole, then its zoom level, then its points.
void SeriesReader::State::zoom(const ChunkHead& head, Slices& slices) {
  const bool inside = slices.holds(head.t_min) && slices.holds(head.t_max);
  if (inside && slices.at(head.t_min) == slices.at(head.t_max)) {
    slices.add(head.t_min, head.stats.count, head.stats.finite, head.stats.min, head.stats.max,
               head.stats.sum);
    return;
  }
  const double entry_ns = static_cast<double>(head.t_max - head.t_min) *
                          static_cast<double>(kZoomPoints) / static_cast<double>(head.stats.count);
  if (entry_ns <= slices.width_ns() / 2 && sealed->zoom(head, entries)) {
    for (const auto& entry : entries) {
      if (!slices.holds(entry.first_ns)) continue;
      slices.add(entry.first_ns, entry.count, entry.finite, static_cast<double>(entry.min),
                 static_cast<double>(entry.max),
                 static_cast<double>(entry.mean) * static_cast<double>(entry.finite));
    }
    return;
  }
  ++decoded;
  if (!sealed->decode(head, times, values)) return;
  for (std::size_t i = 0; i < times.size(); ++i) slices.add(times[i], values[i]);
}

SeriesReader::SeriesReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
SeriesReader::SeriesReader(SeriesReader&&) noexcept = default;
SeriesReader& SeriesReader::operator=(SeriesReader&&) noexcept = default;
SeriesReader::~SeriesReader() = default;

Result<SeriesReader> SeriesReader::open(const std::filesystem::path& folder,
                                        const Viewpoint& from) {
  auto state = std::make_unique<State>();
  if (auto sealed = SealedReader::open(folder / kSealedFileName, system_disk())) {
    state->sealed = std::make_unique<SealedReader>(std::move(*sealed));
    state->list_sealed();
    return SeriesReader(std::move(state));
  }
  auto timeline = read_run(folder, from);
  if (!timeline) return std::unexpected(timeline.error());
  state->timeline = std::move(*timeline);
  state->list_timeline();
  return SeriesReader(std::move(state));
}

const std::vector<SeriesInfo>& SeriesReader::series() const { return state_->series; }
std::uint64_t SeriesReader::chunks_decoded() const { return state_->decoded; }

Result<std::vector<Point>> SeriesReader::points(const SeriesKey& key, std::int64_t from_ns,
                                                std::int64_t to_ns) const {
  std::vector<Point> out;
  if (!state_->sealed) {
    const auto found = state_->timeline.series.find(key);
    if (found == state_->timeline.series.end()) return out;
    for (const auto& point : found->second) {
      if (point.t_ns >= from_ns && point.t_ns < to_ns) out.push_back(point);
    }
    return out;
  }
  for (const auto& head : state_->chunks(key)) {
    if (head.t_max < from_ns || head.t_min >= to_ns) continue;
    state_->collect(head, from_ns, to_ns, out);
  }
  if (!std::ranges::is_sorted(out, {}, &Point::t_ns)) {
    std::ranges::stable_sort(out, {}, &Point::t_ns);
  }
  return out;
}

Result<std::vector<Bucket>> SeriesReader::zoom(const SeriesKey& key, std::int64_t from_ns,
                                               std::int64_t to_ns, std::size_t buckets) const {
  constexpr std::size_t kMostBuckets = 1U << 20;
  if (to_ns <= from_ns || buckets == 0 || buckets > kMostBuckets) {
    return base::fail(ErrorCode::kInvalid, "an empty time range, or no slices, cannot be drawn");
  }
  Slices slices(from_ns, to_ns, buckets);
  if (!state_->sealed) {
    const auto found = state_->timeline.series.find(key);
    if (found == state_->timeline.series.end()) return slices.buckets();
    for (const auto& point : found->second) slices.add(point.t_ns, point.value);
    return slices.buckets();
  }
  for (const auto& head : state_->chunks(key)) {
    if (head.t_max < from_ns || head.t_min >= to_ns) continue;
    state_->zoom(head, slices);
  }
  return slices.buckets();
}

}  // namespace flatout::store
