#include "analyse/host.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace flatout::analyse {
namespace {

using run::Metric;

constexpr double kMostPeakBytes = 9e18;

std::optional<double> cgroup_peak(const run::Timeline& timeline) {
  const auto used = series_extremes(timeline, Metric::kCgroupMemoryUsed);
  return used ? std::optional(used->most) : std::nullopt;
}

struct Resident {
  std::int32_t pid;
  const run::Records<run::Point>* points;
};

// The times at which any of them was read, each once.
std::vector<std::int64_t> reading_times(std::span<const Resident> all) {
  std::vector<std::int64_t> times;
  std::vector<std::int64_t> own;
  std::vector<std::int64_t> both;
  for (const Resident& one : all) {
    own.clear();
    for (const run::Point& point : *one.points) own.push_back(point.t_ns);
    if (own == times) continue;
    both.clear();
    std::ranges::set_union(times, own, std::back_inserter(both));
    both.erase(std::ranges::unique(both).begin(), both.end());
    std::swap(times, both);
  }
  return times;
}

// All readings in order of time, as numbers: place of the time, then that of the process in `all`.
// A day has millions of them, and a number takes a sixth of a reading. Readings of one time come as
// sorting by time alone leaves them: on that order a peak depends by a page or so.
template <typename Number>
std::vector<Number> reading_order(std::span<const Resident> all,
                                  std::span<const std::int64_t> times, int shift) {
  std::vector<Number> numbers;
  std::size_t count = 0;
  for (const Resident& one : all) count += one.points->size();
  numbers.reserve(count);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto time = times.begin();
    for (const run::Point& point : *all[i].points) {
      while (time + 1 != times.end() && *time < point.t_ns) ++time;
      const auto place = static_cast<Number>(time - times.begin());
      numbers.push_back(place << shift | static_cast<Number>(i));
    }
  }
  std::ranges::sort(numbers, {}, [shift](Number number) { return number >> shift; });
  return numbers;
}

// Readings of one tick carry nearly the same time: a process's last reading
// holds until its next one, or until twice the period after which it is gone.
class ResidentSum {
 public:
  explicit ResidentSum(double rate_hz)
      : holds_ns_(static_cast<std::int64_t>(2e9 / (rate_hz > 0 ? rate_hz : 10))) {}

  void add(std::int32_t pid, const run::Point& reading) {
    for (auto it = last_.begin(); it != last_.end();) {
      if (it->second.t_ns + holds_ns_ < reading.t_ns || it->first == pid) {
        sum_ -= it->second.value;
        it = last_.erase(it);
      } else {
        ++it;
      }
    }
    last_[pid] = reading;
    sum_ += reading.value;
    peak_ = std::max(peak_, sum_);
  }
  double peak() const { return peak_; }

 private:
  std::int64_t holds_ns_;
  std::map<std::int32_t, run::Point> last_;
  double sum_ = 0;
  double peak_ = 0;
};

template <typename Number>
void add_in_order(std::span<const Resident> all, std::span<const std::int64_t> times, int shift,
                  ResidentSum& sum) {
  std::vector<run::RecordIterator<run::Point>> next;
  for (const Resident& one : all) next.push_back(one.points->begin());
  const Number mask = (Number{1} << shift) - 1;
  for (const Number number : reading_order<Number>(all, times, shift)) {
    const auto i = static_cast<std::size_t>(number & mask);
    if (next[i] == std::default_sentinel) continue;  // its block can no longer be read
    sum.add(all[i].pid, *next[i]);
    ++next[i];
  }
}

std::optional<double> resident_peak(const run::Timeline& timeline) {
  std::vector<Resident> all;
  for (const auto& [key, points] : timeline.series) {
    const bool resident = key.metric == Metric::kProcessMemoryRss && !points.empty();
    if (resident) all.push_back({key.source, &points});
  }
  if (all.empty()) return std::nullopt;
  constexpr int kShort = 8;  // bits that number a process
  constexpr int kLong = 32;
  const std::vector<std::int64_t> times = reading_times(all);
  if (times.empty()) return std::nullopt;  // none of them can be read
  ResidentSum sum(timeline.info.rate_hz);
  if (all.size() <= (1U << kShort) && times.size() < (1U << (32 - kShort))) {
    add_in_order<std::uint32_t>(all, times, kShort, sum);
  } else {
    add_in_order<std::uint64_t>(all, times, kLong, sum);
  }
  return sum.peak();
}

}  // namespace

run::HostReport host_report(const run::Timeline& timeline, const Analysis& analysis) {
  run::HostReport host;
  host.cpus = timeline.info.cpus;
  host.cpu_mean = cores_used(timeline, {timeline.info.started_ns, timeline.last_ns});
  host.others_cpu_mean = analysis.contention.other_cores_here;
  if (timeline.info.memory_limit_bytes > 0) {
    host.memory_limit_bytes = timeline.info.memory_limit_bytes;
  }
  std::optional<double> peak;
  if (host.memory_limit_bytes) peak = cgroup_peak(timeline);
  if (!peak) peak = resident_peak(timeline);
  if (peak && *peak >= 0 && *peak < kMostPeakBytes) {
    host.memory_peak_bytes = static_cast<std::int64_t>(*peak);
  }
  if (!timeline.processes.empty()) host.processes = static_cast<int>(timeline.processes.size());
  const auto process = timeline.processes.find(analysis.pid);
  if (process != timeline.processes.end()) {
    const auto* environment = run::latest_of(process->second.facts.observed().environments);
    if (environment != nullptr) host.intraop_threads = environment->intraop_threads;
  }
  return host;
}

run::OverheadReport overhead_report(const run::Timeline& timeline) {
  run::OverheadReport overhead;
  overhead.events = timeline.counts.events;
  overhead.dropped = timeline.counts.dropped;
  overhead.recorder_cpu_share =
      series_mean(timeline, Metric::kRecorderCpuCoresUsed, run::kHostSource,
                  {timeline.info.started_ns, timeline.last_ns});
  return overhead;
}

}  // namespace flatout::analyse
