#include "analyse/loader_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analyse/contention.h"
#include "analyse/delivery.h"
#include "analyse/engine_facts.h"
#include "analyse/engine_work.h"

namespace flatout::analyse {
namespace {

struct Source {                              // of batches
  std::vector<run::IteratorFact> iterators;  // of the training loader
  run::LoaderFact fact;
};

TimeWindow window_of(std::span<const Step> steady) {
  if (steady.empty()) return {};
  return {steady.front().begin_ns, steady.back().end_ns};
}

// The loader in whose draws training spends most time, and its iterators: of a
// labelled and an unlabelled one, that which holds the step up.
Source training_loader(const run::ProcessTrack& process, const StepCut& cut) {
  Source source;
  const std::vector<run::IteratorFact>& iterators = process.facts.observed().iterators;
  std::map<std::uint32_t, std::int64_t> draws;  // loader -> ns
  for (const Draw& draw : cut.draws) {
    if (!cut.training_iterators.contains(draw.iterator)) continue;
    const auto it = std::ranges::find(iterators, draw.iterator, &run::IteratorFact::iterator);
    if (it != iterators.end()) draws[it->loader] += draw.end_ns - draw.begin_ns;
  }
  const auto most = std::ranges::max_element(draws, {}, [](const auto& e) { return e.second; });
  const std::vector<run::LoaderFact>& loaders = process.facts.observed().loaders;
  if (most == draws.end()) {
    // No fact ties draws to a loader. With a single loader there is no doubt.
    if (loaders.size() == 1) source.fact = loaders.front();
    return source;
  }
  source.fact.loader = most->first;
  const auto it = std::ranges::find(loaders, most->first, &run::LoaderFact::loader);
  if (it != loaders.end()) source.fact = *it;
  for (const run::LoaderFact& later : loaders) {  // what has been counted and found out since
    if (later.loader != most->first) continue;
    if (later.dataset_len) source.fact.dataset_len = later.dataset_len;
    if (!later.fetched_batches) continue;
    source.fact.fetched_batches = later.fetched_batches;
    source.fact.fetched_reason = later.fetched_reason;
  }
  for (const run::IteratorFact& iterator : iterators) {
    if (iterator.loader == most->first) source.iterators.push_back(iterator);
  }
  return source;
}

BatchCost cost_of(const run::Batch& batch, int worker) {
  return {
      .begin_ns = batch.begin_ns,
      .end_ns = std::max(batch.begin_ns, batch.end_ns),
      .cpu_ns = batch.cpu_ns,
      .run_delay_ns = batch.run_delay_ns >= 0 ? std::optional(batch.run_delay_ns) : std::nullopt,
      .bytes = batch.batch_bytes,
      .collate_ns = batch.collate_ns,
      .idle_ns = batch.idle_ns,
      .samples = static_cast<double>(batch.samples),
      .worker = worker};
}

struct Fetched {
  const run::Batch* batch = nullptr;
  int worker = 0;
};

std::vector<Fetched> batches_of(const run::Timeline& timeline, const run::ProcessTrack& process,
                                const StepCut& cut, const Source& source,
                                std::set<pid_t>& worker_pids) {
  std::vector<Fetched> found;
  for (const run::Batch& batch : process.batches) {
    if (cut.training_iterators.contains(batch.iterator)) found.push_back({&batch, 0});
  }
  for (const run::IteratorFact& iterator : source.iterators) {
    for (std::size_t w = 0; w < iterator.worker_pids.size(); ++w) {
      const auto pid = static_cast<pid_t>(iterator.worker_pids[w]);
      const auto worker = timeline.processes.find(pid);
      if (worker == timeline.processes.end() || !worker_pids.insert(pid).second) continue;
      for (const run::Batch& batch : worker->second.batches) {
        found.push_back({&batch, static_cast<int>(w)});
      }
    }
  }
  std::ranges::sort(found, {}, [](const Fetched& fetched) { return fetched.batch->end_ns; });
  return found;
}

// Those that ended in the steady window, where these are enough to speak.
std::vector<Fetched> steady_part(const std::vector<Fetched>& all, TimeWindow window,
                                 std::size_t enough) {
  std::vector<Fetched> steady;
  for (const Fetched& fetched : all) {
    const std::int64_t end = fetched.batch->end_ns;
    if (end > window.begin_ns && end <= window.end_ns) steady.push_back(fetched);
  }
  return steady.size() >= enough ? steady : all;
}

// Largest first, "other" last: what neither a stage nor collate accounts for.
std::vector<run::StageShare> stage_shares(std::span<const Fetched> batches) {
  std::map<std::string, double> times;
  double wall = 0;
  double named = 0;
  for (const Fetched& fetched : batches) {
    const run::Batch& batch = *fetched.batch;
    wall += static_cast<double>(std::max<std::int64_t>(0, batch.end_ns - batch.begin_ns));
    if (batch.collate_ns > 0) times["collate"] += static_cast<double>(batch.collate_ns);
    for (const run::StageTime& stage : batch.stages) {
      if (stage.wall_ns > 0) times[stage.name] += static_cast<double>(stage.wall_ns);
    }
  }
  for (const auto& [name, time] : times) named += time;
  const double whole = std::max(wall, named);
  std::vector<run::StageShare> shares;
  if (whole <= 0) return shares;
  double other = (whole - named) / whole;
  for (const auto& [name, time] : times) {
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

// Of the batches that tell how long they missed a core, over their wall time.
std::optional<double> delay_share(std::span<const BatchCost> batches) {
  double delay = 0;
  double wall = 0;
  for (const BatchCost& batch : batches) {
    if (!batch.run_delay_ns) continue;
    delay += static_cast<double>(*batch.run_delay_ns);
    wall += static_cast<double>(batch.wall_ns());
  }
  if (wall <= 0) return std::nullopt;
  return std::min(1.0, delay / wall);
}

constexpr double kMostBytesRead = 9e18;

// Bytes of all batches, by the wall time of those that tell.
std::optional<std::uint64_t> scaled_bytes(std::span<const Fetched> batches,
                                          std::uint64_t run::Batch::* bytes) {
  double sum = 0;
  double told = 0;
  double wall = 0;
  for (const Fetched& fetched : batches) {
    const auto length = static_cast<double>(
        std::max<std::int64_t>(0, fetched.batch->end_ns - fetched.batch->begin_ns));
    wall += length;
    if (fetched.batch->*bytes == run::kUnknownBytes) continue;
    told += length;
    sum += static_cast<double>(fetched.batch->*bytes);
  }
  if (!(told > 0) || sum * wall / told >= kMostBytesRead) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(sum * wall / told));
}

std::optional<double> mean_bytes(std::span<const BatchCost> batches) {
  double sum = 0;
  double count = 0;
  for (const BatchCost& batch : batches) {
    sum += static_cast<double>(batch.bytes);
    count += batch.bytes != 0 ? 1 : 0;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

void add_sums(LoaderStats& stats, std::span<const Fetched> batches) {
  for (const Fetched& fetched : batches) {
    stats.batches.push_back(cost_of(*fetched.batch, fetched.worker));
    const BatchCost& cost = stats.batches.back();
    stats.wall_ns += static_cast<double>(cost.wall_ns());
    stats.cpu_ns += static_cast<double>(cost.cpu_ns);
    stats.collate_ns += static_cast<double>(cost.collate_ns);
    stats.samples += cost.samples;
  }
  const double wall = stats.wall_ns;
  if (wall <= 0) return;
  stats.read_bytes = scaled_bytes(batches, &run::Batch::read_bytes);
  stats.disk_bytes = scaled_bytes(batches, &run::Batch::disk_bytes);
  stats.fetch_run_delay = delay_share(stats.batches);
  stats.batch_bytes = mean_bytes(stats.batches);
  stats.sample_cpu_share = std::min(1.0, stats.cpu_ns / wall);
  stats.collate_share = std::min(1.0, stats.collate_ns / wall);
  if (stats.samples > 0) stats.sample_ms = wall / 1e6 / stats.samples;
}

std::vector<Delivery> deliveries_of(const run::Timeline& timeline, const StepCut& cut,
                                    const Source& source, TimeWindow window) {
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
    const IteratorBatches batches(timeline, iterator, begin, end);
    const std::vector<Delivery> matched = match_deliveries(batches, own->second, window);
    all.insert(all.end(), matched.begin(), matched.end());
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
  const Source source = training_loader(process, cut);
  const TimeWindow window = window_of(steady);
  LoaderStats stats;
  static_cast<run::LoaderFact&>(stats) = source.fact;
  stats.workers = source.fact.num_workers.value_or(0);
  if (!source.iterators.empty()) stats.epochs = std::ssize(source.iterators);
  const std::vector<Fetched> all = batches_of(timeline, process, cut, source, stats.worker_pids);
  stats.in_step_thread =
      stats.worker_pids.empty() && stats.num_workers.value_or(0) == 0 && !all.empty();
  if (stats.in_step_thread && all.front().batch == process.batches.data()) {
    stats.first_fetch_cpu_ns = process.batches.front().cpu_ns;
  }
  const std::size_t enough = 2 * std::max<std::size_t>(1, stats.worker_pids.size());
  const std::vector<Fetched> used = steady_part(all, window, enough);
  add_sums(stats, used);
  stats.stages = stage_shares(used);
  stats.deliveries = deliveries_of(timeline, cut, source, window);
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
