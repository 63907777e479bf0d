#include "serve/series/run_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/show.h"
#include "run/metric.h"
#include "serve/run_ms.h"

namespace flatout::serve {

using store::Pyramid;

namespace {

constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::max();

bool touches(std::int64_t first_ns, std::int64_t last_ns, std::int64_t from_ns,
             std::int64_t to_ns) {
  return last_ns >= from_ns && first_ns <= to_ns;
}

}  // namespace

base::Result<std::unique_ptr<RunSeries>> RunSeries::open(const std::filesystem::path& folder) {
  auto scan = store::PointScan::open(folder);
  if (!scan) return std::unexpected(scan.error());
  std::unique_ptr<RunSeries> series(new RunSeries(folder, std::move(*scan)));
  if (series->use_kept()) return series;
  if (auto done = series->refresh(); !done) return std::unexpected(done.error());
  series->keep();
  return series;
}

base::Result<void> RunSeries::refresh() {
  if (kept_) return {};
  auto done = scan_.next(sums_);
  start_ns_ = scan_.info().started_ns;
  name_new();
  return done;
}

bool RunSeries::use_kept() {
  const auto stamp = scan_.stamp();
  if (!stamp) return false;
  opened_ = *stamp;
  kept_ = store::KeptCurves::open(folder_, opened_, sums_);
  if (!kept_) return false;
  start_ns_ = kept_->start_ns();
  scan_.next_chunks(sums_);
  name_new();
  return true;
}

// Beside whoever waits for the first picture. Where it cannot be done, the next one waits as long.
void RunSeries::keep() {
  auto file = store::kept_curves_file(scan_, opened_, sums_);
  if (!file) return;
  keeping_ = std::jthread([folder = folder_, bytes = std::move(*file)] {
    (void)store::write_kept_curves(folder, bytes);
  });
}

// What was kept turned out to be damaged.
base::Result<void> RunSeries::read_all_again() {
  kept_.reset();
  auto scan = store::PointScan::open(folder_);
  if (!scan) return std::unexpected(scan.error());
  scan_ = std::move(*scan);
  if (const auto stamp = scan_.stamp()) opened_ = *stamp;
  by_key_.clear();
  series_.clear();
  sums_ = {};
  if (auto done = refresh(); !done) return done;
  keep();
  return {};
}

void RunSeries::name_new() {
  for (std::size_t i = series_.size(); i < sums_.curves().size(); ++i) {
    store::SummedCurve& sum = *sums_.curves()[i];
    auto made = std::make_unique<Series>();
    if (sum.value) {
      made->key = "v:" + std::to_string(sum.value->pid) + ":" + std::to_string(sum.value->track) +
                  ":" + sum.value->name;
    } else {
      const auto about = run::metric_info(sum.metric->metric);
      made->key = "m:" + (about ? std::string(about->name) : "?") + ":" +
                  std::to_string(sum.metric->source);
    }
    made->sum = &sum;
    by_key_.emplace(made->key, made.get());
    series_.push_back(std::move(made));
  }
}

RunSeries::Series* RunSeries::find(std::string_view key) {
  const auto found = by_key_.find(std::string(key));
  return found == by_key_.end() ? nullptr : found->second;
}

bool RunSeries::sum_up(store::SummedCurve& curve) {
  if (curve.kept) return kept_ && kept_->load(curve);
  if (std::exchange(curve.summed_up, true)) return true;
  std::vector<std::int64_t> times;
  std::vector<double> values;
  for (const store::CurvePiece& piece : curve.chunks) {
    if (!scan_.chunk_at(piece.at, times, values)) continue;
    for (std::size_t i = 0; i < times.size(); ++i) {
      curve.pyramid.add(times[i], Pyramid::kNoStep, values[i]);
    }
  }
  return true;
}

base::Result<RunSeries::Series*> RunSeries::summed_up(std::string_view key) {
  Series* series = find(key);
  if (series != nullptr && !sum_up(*series->sum)) {
    if (auto done = read_all_again(); !done) return std::unexpected(done.error());
    series = find(key);
    if (series != nullptr) (void)sum_up(*series->sum);
  }
  if (series != nullptr) return series;
  return base::fail(base::ErrorCode::kNotFound, "the run has no series '" + std::string(key) + "'");
}

double RunSeries::x_of(Axis axis, std::int64_t t_ns, std::int64_t step) const {
  if (axis == Axis::kStep) return static_cast<double>(step);
  return run_ms_of(t_ns, start_ns_);
}

SeriesInfo RunSeries::info_of(const Series& of) {
  const store::SummedCurve& series = *of.sum;
  SeriesInfo info{.key = of.key, .name = "", .kind = "", .unit = "", .source = "", .label = ""};
  if (series.value) {
    const auto rank = sums_.rank_of(series.value->pid);
    info.name = series.value->name;
    info.kind = "value";
    info.source = "process";
    info.label =
        rank ? "rank " + std::to_string(*rank) : "pid " + std::to_string(series.value->pid);
    info.pid = series.value->pid;
    info.track = series.value->track;
  } else {
    const auto about = run::metric_info(series.metric->metric);
    const std::int32_t source = series.metric->source;
    info.name = about ? about->name : "?";
    info.kind = "metric";
    info.unit = about ? about->unit : "";
    info.source = about ? about->source : "";
    info.label = report::source_label(source);
    if (run::is_device_source(source)) info.device = run::device_index(source);
    if (source > 0) info.pid = source;
  }
  if (!series.summed_up) {
    std::vector<std::int64_t> times;
    std::vector<double> values;
    info.count = series.chunk_count;
    info.first_ms = x_of(Axis::kTime, series.chunks.front().first_ns, 0);
    info.last_ms = x_of(Axis::kTime, series.chunks.back().last_ns, 0);
    info.min = series.chunk_min;
    info.max = series.chunk_max;
    const bool known = scan_.chunk_at(series.chunks.back().at, times, values) && !values.empty();
    if (known) info.last = values.back();
    return info;
  }
  const Pyramid& all = series.pyramid;
  info.count = all.count();
  info.first_ms = x_of(Axis::kTime, all.first_ns(), 0);
  info.last_ms = x_of(Axis::kTime, all.last_ns(), 0);
  if (series.value && all.has_steps()) {
    info.first_step = all.first_step();
    info.last_step = all.whole().step;
  }
  info.first = all.first();
  info.last = all.whole().last;
  info.mean = all.mean();
  info.min = all.whole().min;
  info.max = all.whole().max;
  return info;
}

std::vector<SeriesInfo> RunSeries::infos() {
  std::vector<SeriesInfo> out;
  out.reserve(series_.size());
  for (const auto& series : series_) out.push_back(info_of(*series));
  std::ranges::sort(out, [](const SeriesInfo& a, const SeriesInfo& b) {
    return std::tie(a.kind, a.name, a.key) < std::tie(b.kind, b.name, b.key);
  });
  return out;
}

std::vector<std::string> RunSeries::keys_of(std::string_view metric) const {
  std::vector<std::pair<run::SeriesKey, std::string>> found;
  for (const auto& series : series_) {
    const auto about =
        series->sum->metric ? run::metric_info(series->sum->metric->metric) : std::nullopt;
    if (about && about->name == metric) found.emplace_back(*series->sum->metric, series->key);
  }
  std::ranges::sort(found);
  std::vector<std::string> out;
  for (auto& [key, text] : found) out.push_back(std::move(text));
  return out;
}

// Read again: those between the two times.
std::vector<CurvePoint> RunSeries::raw_points(const Series& of, Axis axis, std::int64_t from_ns,
                                              std::int64_t to_ns) {
  const store::SummedCurve& series = *of.sum;
  std::vector<CurvePoint> out;
  const auto add = [&](std::int64_t t_ns, std::int64_t step, double value) {
    if (t_ns < from_ns || t_ns > to_ns) return;
    const bool finite = std::isfinite(value);
    const double shown = finite ? value : std::numeric_limits<double>::quiet_NaN();
    out.push_back({.x = x_of(axis, t_ns, step),
                   .min = shown,
                   .max = shown,
                   .last = value,
                   .sum = finite ? value : 0,
                   .finite = finite ? 1U : 0U});
  };
  if (series.value) {
    for (const store::CurvePiece& place : sums_.value_pieces(series.value->pid)) {
      if (!touches(place.first_ns, place.last_ns, from_ns, to_ns)) continue;
      if (!scan_.values_at(place.at, again_)) continue;
      const auto name = std::ranges::find(again_.names, series.value->name);
      const auto number = static_cast<std::uint32_t>(name - again_.names.begin());
      for (std::size_t i = 0; i < again_.size(); ++i) {
        const std::uint32_t track = again_.tracks.empty() ? 0 : again_.tracks[i];
        if (again_.name[i] == number && track == series.value->track) {
          add(again_.times_ns[i], again_.steps[i], again_.values[i]);
        }
      }
    }
  } else if (scan_.sealed()) {
    std::vector<std::int64_t> times;
    std::vector<double> values;
    for (const store::CurvePiece& place : series.chunks) {
      if (!touches(place.first_ns, place.last_ns, from_ns, to_ns)) continue;
      if (!scan_.chunk_at(place.at, times, values)) continue;
      for (std::size_t i = 0; i < times.size(); ++i) add(times[i], Pyramid::kNoStep, values[i]);
    }
  } else {
    std::vector<run::Sample> samples;
    for (const store::CurvePiece& place : sums_.sample_pieces()) {
      if (!touches(place.first_ns, place.last_ns, from_ns, to_ns)) continue;
      if (!scan_.samples_at(place.at, samples)) continue;
      for (const run::Sample& sample : samples) {
        if (sample.metric == series.metric->metric && sample.source == series.metric->source) {
          add(sample.t_ns, Pyramid::kNoStep, sample.value);
        }
      }
    }
  }
  return out;
}

// Those of which the picture is made, and their neighbours: entries of the coarsest level that has
// two for each column, else the points themselves.
std::vector<CurvePoint> RunSeries::near_points(const Series& series, const SeriesQuery& query,
                                               double from, double to, bool& single) {
  const Pyramid& all = series.sum->pyramid;
  const Axis axis = query.axis;
  const bool ascends = axis == Axis::kTime || all.steps_ascend();
  const auto x_at = [&](std::size_t level, std::size_t i) {
    const Pyramid::Entry entry = all.entry(level, i);
    return x_of(axis, entry.t_ns, entry.step);
  };
  // Of entries in order of x, the first that is not before `x`.
  const auto find = [&](std::size_t level, double x) {
    std::size_t lo = 0, hi = all.size(level);
    while (lo < hi) {
      const std::size_t middle = lo + (hi - lo) / 2;
      if (x_at(level, middle) < x) {
        lo = middle + 1;
      } else {
        hi = middle;
      }
    }
    return lo;
  };
  single = false;
  for (std::size_t level = all.levels(); level-- > 0;) {
    const std::size_t first = ascends ? find(level, from) : 0;
    const std::size_t last = ascends ? find(level, to) : all.size(level);
    if (last - first < 2 * query.width) continue;
    std::vector<CurvePoint> out;
    out.reserve(last - first + 2);
    const auto some =
        all.entries(level, first > 0 ? first - 1 : 0, std::min(last + 1, all.size(level)));
    for (const Pyramid::Entry& entry : some) {
      out.push_back({.x = x_of(axis, entry.t_ns, entry.step),
                     .min = entry.min,
                     .max = entry.max,
                     .last = entry.last,
                     .sum = entry.sum,
                     .finite = entry.finite});
    }
    return out;
  }
  single = true;
  if (!ascends) return raw_points(series, axis, -kNoTime, kNoTime);
  // With a point more on either side, wherever in their entries they stand.
  const std::size_t first = find(0, from), last = find(0, to);
  const std::int64_t from_ns = first > 1 ? all.entry(0, first - 2).t_ns : -kNoTime;
  const std::int64_t to_ns = last + 1 < all.size(0) ? all.entry(0, last + 1).t_ns : kNoTime;
  return raw_points(series, axis, from_ns, to_ns);
}

base::Result<Curve> RunSeries::curve(std::string_view key, const SeriesQuery& query) {
  const auto found = summed_up(key);
  if (!found) return std::unexpected(found.error());
  const Series& series = **found;
  const Pyramid& all = series.sum->pyramid;
  Curve out{.key = std::string(key)};
  const bool has_x = query.axis == Axis::kTime || (series.sum->value && all.has_steps());
  if (all.count() == 0 || !has_x) return out;
  const double first = x_of(query.axis, all.first_ns(), all.first_step());
  const double last = x_of(query.axis, all.last_ns(), all.whole().step);
  double from = query.from.value_or(std::min(first, last));
  double to = query.to.value_or(std::max(first, last));
  const bool whole = query.axis == Axis::kStep && !all.steps_ascend();
  bool single = false;
  auto points = near_points(series, query, from, to, single);
  const auto by_x = [](const CurvePoint& a, const CurvePoint& b) { return a.x < b.x; };
  if (!std::ranges::is_sorted(points, by_x)) std::ranges::stable_sort(points, by_x);
  if (whole && !points.empty()) {
    from = query.from.value_or(points.front().x);
    to = query.to.value_or(points.back().x);
  }
  thin(points, single, from, to, query.width, out);
  return out;
}

std::vector<double> RunSeries::means(std::string_view key,
                                     std::span<const std::pair<double, double>> ranges_ms) {
  std::vector<double> out(ranges_ms.size(), std::numeric_limits<double>::quiet_NaN());
  if (ranges_ms.empty()) return out;
  const auto found = summed_up(key);
  if (!found || (*found)->sum->pyramid.count() == 0) return out;
  // Fine enough for the narrowest.
  const double from = ranges_ms.front().first, to = ranges_ms.back().second;
  double narrowest = to - from;
  for (const auto& [first, last] : ranges_ms) narrowest = std::min(narrowest, last - first);
  const double width = std::clamp((to - from) / std::max(narrowest, 1e-3), 1.0, 2.0 * kMaxWidth);
  bool single = false;
  const auto points = near_points(
      **found,
      {.axis = Axis::kTime, .from = from, .to = to, .width = static_cast<std::size_t>(width)}, from,
      to, single);
  auto at = points.begin();
  for (std::size_t i = 0; i < out.size(); ++i) {
    while (at != points.end() && at->x < ranges_ms[i].first) ++at;
    double sum = 0;
    std::uint64_t count = 0;
    for (; at != points.end() && at->x <= ranges_ms[i].second; ++at) {
      sum += at->sum;
      count += at->finite;
    }
    if (count > 0) out[i] = sum / static_cast<double>(count);
  }
  return out;
}

std::size_t RunSeries::bytes() const { return sums_.bytes() + series_.size() * sizeof(Series); }

double RunSeries::last_ms() const {
  double last = 0;
  for (const auto& series : series_) {
    const store::SummedCurve& sum = *series->sum;
    const std::int64_t t_ns = sum.summed_up ? sum.pyramid.last_ns() : sum.chunks.back().last_ns;
    last = std::max(last, x_of(Axis::kTime, t_ns, 0));
  }
  return last;
}

std::vector<RunSeries::Latest> RunSeries::latest(
    std::unordered_map<std::string, std::size_t>& counts) const {
  std::vector<Latest> out;
  for (const auto& series : series_) {
    const Pyramid& all = series->sum->pyramid;
    std::size_t& known = counts[series->key];
    if (all.count() == known) continue;
    known = all.count();
    out.push_back({series->key, all.count(), all.whole().last, x_of(Axis::kTime, all.last_ns(), 0),
                   all.whole().step});
  }
  return out;
}

}  // namespace flatout::serve
