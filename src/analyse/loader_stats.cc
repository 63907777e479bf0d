#include "analyse/loader_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "analyse/contention.h"
#include "analyse/delivery.h"
#include "analyse/engine_facts.h"
#include "analyse/engine_work.h"
#include "analyse/training_loader.h"

namespace flatout::analyse {
namespace {

TimeWindow window_of(std::span<const Step> steady) {
  if (steady.empty()) return {};
  return {steady.front().begin_ns, steady.back().end_ns};
}

BatchCost cost_of(const run::Batch& batch) {
  return {
      .begin_ns = batch.begin_ns,
      .end_ns = batch.end_ns,
      .cpu_ns = batch.cpu_ns,
      .run_delay_ns = batch.run_delay_ns >= 0 ? std::optional(batch.run_delay_ns) : std::nullopt,
      .idle_ns = batch.idle_ns};
}

constexpr double kMostBytesRead = 9e18;

// Bytes of all batches, by the wall time of those that tell.
class ScaledBytes {
 public:
  void add(std::uint64_t bytes, double wall_ns) {
    wall_ += wall_ns;
    if (bytes == run::kUnknownBytes) return;
    told_ += wall_ns;
    sum_ += static_cast<double>(bytes);
  }
  std::optional<std::uint64_t> bytes() const {
    if (!(told_ > 0) || sum_ * wall_ / told_ >= kMostBytesRead) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(sum_ * wall_ / told_));
  }

 private:
  double sum_ = 0, told_ = 0, wall_ = 0;
};

// Time by stage. Sums of whole nanoseconds are exact, in whatever order.
class Stages {
 public:
  void add(const run::Batch& batch, double wall_ns) {
    wall_ += wall_ns;
    if (batch.collate_ns > 0) times_["collate"] += static_cast<double>(batch.collate_ns);
    for (const run::StageTime& stage : batch.stages) {
      if (stage.wall_ns > 0) times_[stage.name] += static_cast<double>(stage.wall_ns);
    }
  }

  // Largest first, "other" last: what neither a stage nor collate accounts for.
  std::vector<run::StageShare> shares() const {
    double named = 0;
    for (const auto& [name, time] : times_) named += time;
    const double whole = std::max(wall_, named);
    std::vector<run::StageShare> shares;
    if (whole <= 0) return shares;
    double other = (whole - named) / whole;
    for (const auto& [name, time] : times_) {
      if (name == "other") {
        other += time / whole;
      } else {
        shares.push_back({name, time / whole});
      }
    }
    std::ranges::sort(shares, [](const run::StageShare& a, const run::StageShare& b) {
      return a.share != b.share ? a.share > b.share : a.name < b.name;
    });
    shares.push_back({"other", std::max(0.0, other)});
    return shares;
  }

 private:
  std::map<std::string, double> times_;
  double wall_ = 0;
};

// Sums over batches.
class BatchSums {
 public:
  void add(const run::Batch& batch) {
    const auto wall = static_cast<double>(std::max<std::int64_t>(0, batch.end_ns - batch.begin_ns));
    ++count_;
    wall_ns_ += wall;
    cpu_ns_ += static_cast<double>(batch.cpu_ns);
    collate_ns_ += static_cast<double>(batch.collate_ns);
    samples_ += static_cast<double>(batch.samples);
    bytes_ += static_cast<double>(batch.batch_bytes);
    bytes_told_ += batch.batch_bytes != 0 ? 1 : 0;
    if (batch.run_delay_ns >= 0) {
      delay_ns_ += static_cast<double>(batch.run_delay_ns);
      delay_told_ns_ += wall;
    }
    read_.add(batch.read_bytes, wall);
    disk_.add(batch.disk_bytes, wall);
    stages_.add(batch, wall);
  }
  std::size_t count() const { return count_; }

  void fill(LoaderStats& stats) const {
    stats.wall_ns = wall_ns_;
    stats.cpu_ns = cpu_ns_;
    stats.collate_ns = collate_ns_;
    stats.samples = samples_;
    stats.stages = stages_.shares();
    if (wall_ns_ <= 0) return;
    stats.read_bytes = read_.bytes();
    stats.disk_bytes = disk_.bytes();
    if (delay_told_ns_ > 0) stats.fetch_run_delay = std::min(1.0, delay_ns_ / delay_told_ns_);
    if (bytes_told_ > 0) stats.batch_bytes = bytes_ / bytes_told_;
    stats.sample_cpu_share = std::min(1.0, cpu_ns_ / wall_ns_);
    stats.collate_share = std::min(1.0, collate_ns_ / wall_ns_);
    if (samples_ > 0) stats.sample_ms = wall_ns_ / 1e6 / samples_;
  }

 private:
  std::size_t count_ = 0;
  double wall_ns_ = 0, cpu_ns_ = 0, collate_ns_ = 0, samples_ = 0;
  double bytes_ = 0, bytes_told_ = 0;
  double delay_ns_ = 0, delay_told_ns_ = 0;
  ScaledBytes read_, disk_;
  Stages stages_;
};

bool inside(std::int64_t end_ns, TimeWindow window) {
  return end_ns > window.begin_ns && end_ns <= window.end_ns;
}

// The batches of the training loader: those that ended in the steady window, where these are
// enough to speak, else all.
class Fetched {
 public:
  explicit Fetched(TimeWindow window) : window_(window) {}

  void expect(std::size_t batches) { batches_.reserve(batches_.size() + batches); }
  void add(const run::Batch& batch) {
    all_.add(batch);
    if (inside(batch.end_ns, window_)) steady_.add(batch);
    batches_.push_back(cost_of(batch));
  }
  bool empty() const { return batches_.empty(); }

  // In order of their ends.
  void sort() { std::ranges::sort(batches_, {}, &BatchCost::end_ns); }

  void fill(LoaderStats& stats, std::size_t enough) && {
    const bool few = steady_.count() < enough;
    (few ? all_ : steady_).fill(stats);
    if (!few) {
      std::erase_if(batches_,
                    [&](const BatchCost& batch) { return !inside(batch.end_ns, window_); });
    }
    stats.batches = std::move(batches_);
  }

 private:
  TimeWindow window_;
  BatchSums all_, steady_;
  std::vector<BatchCost> batches_;
};

Fetched batches_of(const run::Timeline& timeline, const run::ProcessTrack& process,
                   const StepCut& cut, const TrainingLoader& source, TimeWindow window,
                   std::set<pid_t>& worker_pids, WorkerBatches& recorded) {
  Fetched found(window);
  for (const run::Batch& batch : process.batches) {
    if (cut.training_iterators.contains(batch.iterator)) found.add(batch);
  }
  for (const run::IteratorFact& iterator : source.iterators) {
    for (const std::int64_t number : iterator.worker_pids) {
      const auto pid = static_cast<pid_t>(number);
      const auto worker = timeline.processes.find(pid);
      if (worker == timeline.processes.end() || !worker_pids.insert(pid).second) continue;
      const std::size_t count = worker->second.batches.size();
      found.expect(count);
      std::vector<WorkerBatch>& own = recorded.of_new(pid, count);
      for (const run::Batch& batch : worker->second.batches) {
        found.add(batch);
        own.push_back({batch.begin_ns, batch.end_ns, batch.sequence});
      }
    }
  }
  found.sort();
  return found;
}

std::optional<double> mean_over(const run::Timeline& timeline, run::Metric metric,
                                const std::set<pid_t>& pids, TimeWindow window) {
  double sum = 0;
  int count = 0;
  for (pid_t pid : pids) {
    if (const auto value = series_mean(timeline, metric, pid, window)) {
      sum += *value;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::vector<Delivery> deliveries_of(const WorkerBatches& recorded, const StepCut& cut,
                                    const TrainingLoader& source, TimeWindow window) {
  std::map<std::uint32_t, std::vector<Draw>> draws;
  for (const Draw& draw : cut.draws) draws[draw.iterator].push_back(draw);
  std::vector<Delivery> all;
  std::int64_t begin = std::numeric_limits<std::int64_t>::min();
  for (const run::IteratorFact& iterator : source.iterators) {
    const auto own = draws.find(iterator.iterator);
    if (own == draws.end() || iterator.worker_pids.empty()) continue;
    // Batches begun until the last draw ended are this iterator's; persistent
    // workers begin those of the next one after it.
    const std::int64_t end = own->second.back().end_ns;
    const IteratorBatches batches(recorded, iterator, begin, end);
    match_deliveries(batches, own->second, window, all);
    begin = end;
  }
  return all;
}

// Share of steady draws that waited noticeably: a tenth of their step.
bool waits_mostly(std::span<const Step> steady) {
  const auto waiting = std::ranges::count_if(steady, [](const Step& step) {
    return step.phase_ns(run::Phase::kDataWait) > step.own_ns / 10;
  });
  return waiting * 2 > static_cast<std::ptrdiff_t>(steady.size());
}

std::optional<double> max_rate(const LoaderStats& stats, int cpus, std::span<const Step> steady) {
  if (stats.samples <= 0 || stats.wall_ns <= 0) return std::nullopt;
  const int workers = stats.num_workers.value_or(0);
  const double per_s = 1e9 * stats.samples;
  if (workers == 0) return per_s / stats.wall_ns;
  double rate = workers * per_s / stats.wall_ns;
  if (cpus > 0 && stats.cpu_ns > 0) {
    rate = std::min(rate, cpus * per_s / stats.cpu_ns);
  }
  double delivered = 0;
  std::int64_t own_ns = 0;
  for (const Step& step : steady) {
    delivered += step.samples.value_or(0);
    own_ns += step.own_ns;
  }
  if (delivered > 0 && own_ns > 0 && waits_mostly(steady)) {
    rate = std::min(rate, delivered * 1e9 / static_cast<double>(own_ns));
  }
  return rate;
}

}  // namespace

std::optional<double> LoaderStats::waiting_share() const {
  if (!sample_cpu_share) return std::nullopt;
  return std::max(0.0, 1 - *sample_cpu_share - fetch_run_delay.value_or(0));
}

std::optional<LoaderStats> measure_loader(const run::Timeline& timeline,
                                          const run::ProcessTrack& process, const StepCut& cut,
                                          std::span<const Step> steady) {
  if (cut.training_iterators.empty()) return std::nullopt;
  const TrainingLoader source = training_loader(process, cut);
  const TimeWindow window = window_of(steady);
  LoaderStats stats;
  static_cast<run::LoaderFact&>(stats) = source.fact;
  stats.workers = source.fact.num_workers.value_or(0);
  if (!source.iterators.empty()) stats.epochs = std::ssize(source.iterators);
  WorkerBatches recorded;
  Fetched fetched = batches_of(timeline, process, cut, source, window, stats.worker_pids, recorded);
  stats.in_step_thread =
      stats.worker_pids.empty() && stats.num_workers.value_or(0) == 0 && !fetched.empty();
  if (stats.in_step_thread) {
    const auto first = process.batches.front();
    if (first && cut.training_iterators.contains(first->iterator)) {
      stats.first_fetch_cpu_ns = first->cpu_ns;
    }
  }
  const std::size_t enough = 2 * std::max<std::size_t>(1, stats.worker_pids.size());
  std::move(fetched).fill(stats, enough);
  stats.deliveries = deliveries_of(recorded, cut, source, window);
  if (stats.engine == "native")
    stats.engine_work = engine_work(process.facts.observed().engines, stats.loader, window);
  stats.engine_measured = engine_measurement(timeline, process.proc.pid, stats.loader);

  const std::set<pid_t> fetchers =
      stats.worker_pids.empty() ? std::set{process.proc.pid} : stats.worker_pids;
  stats.worker_disk_wait = mean_over(timeline, run::Metric::kProcessIoDiskWait, fetchers, window);
  if (!stats.fetch_run_delay && !stats.worker_pids.empty()) {
    stats.fetch_run_delay = mean_over(timeline, run::Metric::kProcessCpuRunDelay, fetchers, window);
  }
  stats.max_samples_per_s = max_rate(stats, timeline.info.cpus, steady);
  return stats;
}

}  // namespace flatout::analyse
