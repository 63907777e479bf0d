#include "store/curves/curve_sums.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "run/plausible.h"

namespace flatout::store {
namespace {

// Of the times in a piece.
struct PieceTimes {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  void add(std::int64_t t_ns) {
    first_ns = std::min(first_ns, t_ns);
    last_ns = std::max(last_ns, t_ns);
  }
  bool any() const { return first_ns <= last_ns; }
};

}  // namespace

SummedCurve& CurveSums::curve_of(ValueName name) {
  const auto [at, is_new] = by_value_.try_emplace(name, nullptr);
  if (is_new) {
    auto made = std::make_unique<SummedCurve>();
    made->value = std::move(name);
    at->second = made.get();
    curves_.push_back(std::move(made));
  }
  return *at->second;
}

SummedCurve& CurveSums::curve_of(const run::SeriesKey& key) {
  const auto [at, is_new] = by_metric_.try_emplace(key, nullptr);
  if (is_new) {
    auto made = std::make_unique<SummedCurve>();
    made->metric = key;
    at->second = made.get();
    curves_.push_back(std::move(made));
  }
  return *at->second;
}

void CurveSums::forget_numbers(const ValueColumns& columns) {
  numbers_.assign(columns.names.size(), nullptr);
}

void CurveSums::values(const ValueColumns& columns, PointPlace place) {
  forget_numbers(columns);
  PieceTimes times;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::int64_t t_ns = columns.times_ns[i];
    if (!run::plausible_ns(t_ns)) continue;
    const std::uint32_t track = columns.tracks.empty() ? 0 : columns.tracks[i];
    if (track != numbers_track_) {
      forget_numbers(columns);
      numbers_track_ = track;
    }
    SummedCurve*& curve = numbers_[columns.name[i]];
    if (curve == nullptr) {
      curve = &curve_of({columns.pid, track, std::string(columns.names[columns.name[i]])});
    }
    curve->pyramid.add(t_ns, columns.steps[i], columns.values[i]);
    times.add(t_ns);
  }
  if (times.any()) value_pieces_[columns.pid].push_back({times.first_ns, times.last_ns, place});
}

void CurveSums::samples(std::span<const run::Sample> samples, PointPlace place) {
  PieceTimes times;
  for (const run::Sample& sample : samples) {
    if (!run::plausible_ns(sample.t_ns)) continue;
    curve_of({sample.metric, sample.source})
        .pyramid.add(sample.t_ns, Pyramid::kNoStep, sample.value);
    times.add(sample.t_ns);
  }
  if (times.any()) sample_pieces_.push_back({times.first_ns, times.last_ns, place});
}

void CurveSums::chunk(const PointChunk& chunk, PointPlace place) {
  SummedCurve& curve = curve_of(chunk.key);
  if (chunk.finite > 0) {
    const bool first = curve.chunks.empty();
    curve.chunk_min = first ? chunk.min : std::min(curve.chunk_min, chunk.min);
    curve.chunk_max = first ? chunk.max : std::max(curve.chunk_max, chunk.max);
  }
  curve.chunks.push_back({chunk.first_ns, chunk.last_ns, place});
  curve.chunk_count += chunk.count;
  curve.summed_up = false;
}

void CurveSums::proc(const run::Proc& proc) {
  if (proc.rank >= 0) ranks_[proc.pid] = proc.rank;
}

std::span<const CurvePiece> CurveSums::value_pieces(pid_t pid) const {
  const auto found = value_pieces_.find(pid);
  return found == value_pieces_.end() ? std::span<const CurvePiece>() : std::span(found->second);
}

std::optional<int> CurveSums::rank_of(pid_t pid) const {
  const auto found = ranks_.find(pid);
  return found == ranks_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t CurveSums::points() const {
  std::uint64_t sum = 0;
  for (const auto& curve : curves_) sum += curve->pyramid.count();
  return sum;
}

std::size_t CurveSums::bytes() const {
  std::size_t sum = sample_pieces_.capacity() * sizeof(CurvePiece);
  for (const auto& curve : curves_) {
    sum += curve->pyramid.bytes() + curve->chunks.capacity() * sizeof(CurvePiece) +
           sizeof(SummedCurve);
  }
  for (const auto& [pid, pieces] : value_pieces_) sum += pieces.capacity() * sizeof(CurvePiece);
  return sum;
}

}  // namespace flatout::store
