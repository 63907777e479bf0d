#include "analyse/loader_times.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "analyse/training_loader.h"

namespace flatout::analyse {
namespace {

std::map<std::uint32_t, std::vector<TimeWindow>> draws_of(const StepCut& cut) {
  std::map<std::uint32_t, std::vector<TimeWindow>> draws;  // by iterator
  for (const Draw& draw : cut.draws) {
    if (!draw.delivered || !cut.training_iterators.contains(draw.iterator)) continue;
    draws[draw.iterator].push_back({draw.begin_ns, draw.end_ns});
  }
  return draws;
}

class LoaderWatch {
 public:
  explicit LoaderWatch(const run::Timeline& timeline) : timeline_(timeline) {}

  // `begin_ns` to `end_ns`: the iterator's time, in which the batches that begin are its own.
  void add(const run::IteratorFact& iterator, const std::vector<TimeWindow>& draws,
           std::int64_t begin_ns, std::int64_t end_ns) {
    std::vector<std::int64_t> ends;
    for (std::uint32_t worker = 0; worker < iterator.worker_pids.size(); ++worker) {
      add_worker(worker, static_cast<pid_t>(iterator.worker_pids[worker]), {begin_ns, end_ns},
                 ends);
    }
    if (!ends.empty()) add_queue(ends, draws);
  }
  void add_own(const run::ProcessTrack& process, const StepCut& cut) {
    for (const run::Batch& batch : process.batches) {
      if (!cut.training_iterators.contains(batch.iterator)) continue;
      times_.fetches.push_back({batch.begin_ns, batch.end_ns, 0});
    }
    times_.in_step_thread = !times_.fetches.empty();
    if (times_.in_step_thread) times_.workers = {process.proc.pid};
  }
  LoaderTimes taken(const StepCut& cut) {
    std::ranges::stable_sort(times_.fetches, {}, &LoaderTimes::Fetch::end_ns);
    for (const auto& [iterator, draws] : draws_of(cut)) {
      times_.waits.insert(times_.waits.end(), draws.begin(), draws.end());
    }
    std::ranges::stable_sort(times_.waits, {}, &TimeWindow::end_ns);
    return std::move(times_);
  }

 private:
  void add_worker(std::uint32_t number, pid_t pid, TimeWindow window,
                  std::vector<std::int64_t>& ends) {
    const auto worker = timeline_.processes.find(pid);
    if (worker == timeline_.processes.end()) return;
    if (times_.workers.size() <= number) times_.workers.resize(number + 1);
    times_.workers[number] = pid;
    for (const run::Batch& batch : worker->second.batches) {
      if (batch.begin_ns < window.begin_ns || batch.begin_ns >= window.end_ns) continue;
      times_.fetches.push_back({batch.begin_ns, batch.end_ns, number});
      ends.push_back(batch.end_ns);
    }
  }
  // What is left when the iterator's last batch was taken, nobody will take.
  void add_queue(std::vector<std::int64_t>& ends, const std::vector<TimeWindow>& draws) {
    std::ranges::sort(ends);
    auto end = ends.begin();
    std::int32_t batches = 0;
    for (const TimeWindow& draw : draws) {
      for (; end != ends.end() && *end <= draw.end_ns; ++end) {
        times_.ready.push_back({*end, ++batches});
      }
      batches = std::max(0, batches - 1);
      times_.ready.push_back({draw.end_ns, batches});
    }
    if (batches > 0) times_.ready.back().batches = 0;
  }

  const run::Timeline& timeline_;
  LoaderTimes times_;
};

// Goes over the windows and what belongs to them at once.
class Parts {
 public:
  Parts(const LoaderTimes& times, std::span<const TimeWindow> windows)
      : times_(times), windows_(windows), parts_(windows.size()) {
    for (LoaderPart& part : parts_) part.fetch_ms.resize(times.workers.size());
  }

  std::vector<LoaderPart> taken() && {
    add_waits();
    add_fetches();
    for (std::size_t i = 0; i < parts_.size(); ++i) add_ready(windows_[i], parts_[i]);
    return std::move(parts_);
  }

 private:
  // The window in which it ended; the number of windows where in none.
  std::size_t part_of(std::int64_t t_ns) const {
    const auto after = std::ranges::lower_bound(windows_, t_ns, {}, &TimeWindow::end_ns);
    const bool inside = after != windows_.end() && after->begin_ns < t_ns;
    return inside ? static_cast<std::size_t>(after - windows_.begin()) : windows_.size();
  }
  void add_waits() {
    std::vector<double> sums(parts_.size(), 0);
    for (const TimeWindow& wait : times_.waits) {
      const std::size_t at = part_of(wait.end_ns);
      if (at == parts_.size()) continue;
      const double ms = static_cast<double>(wait.end_ns - wait.begin_ns) / 1e6;
      LoaderPart& part = parts_[at];
      sums[at] += ms;
      part.wait_mean_ms = sums[at] / ++part.draws;
      part.wait_max_ms = std::max(part.wait_max_ms.value_or(0), ms);
    }
  }
  void add_fetches() {
    std::vector<std::vector<int>> counts(parts_.size(), std::vector<int>(times_.workers.size(), 0));
    for (const LoaderTimes::Fetch& fetch : times_.fetches) {
      const std::size_t at = part_of(fetch.end_ns);
      if (at == parts_.size()) continue;
      const double ms = static_cast<double>(fetch.end_ns - fetch.begin_ns) / 1e6;
      std::optional<double>& mean = parts_[at].fetch_ms[fetch.worker];
      const int count = ++counts[at][fetch.worker];
      mean = mean.value_or(0) + (ms - mean.value_or(0)) / count;
    }
  }
  void add_ready(const TimeWindow& window, LoaderPart& part) const {
    const auto& ready = times_.ready;
    auto after = std::ranges::upper_bound(ready, window.begin_ns, {}, &LoaderTimes::Ready::t_ns);
    if (ready.empty() || (after == ready.end() && window.begin_ns > ready.back().t_ns)) return;
    // Before the first batch was ready the queue was not there.
    std::int64_t at_ns = window.begin_ns, known_ns = 0;
    double sum = 0;
    int least = std::numeric_limits<int>::max(), most = 0;
    bool known = after != ready.begin();
    int now = known ? std::prev(after)->batches : 0;
    const auto until = [&](std::int64_t t_ns) {
      if (!known) return;
      known_ns += t_ns - at_ns;
      sum += static_cast<double>(t_ns - at_ns) * now;
      least = std::min(least, now);
      most = std::max(most, now);
    };
    for (; after != ready.end() && after->t_ns < window.end_ns; ++after) {
      until(after->t_ns);
      at_ns = after->t_ns;
      now = after->batches;
      known = true;
    }
    if (after != ready.end() || at_ns == window.begin_ns) until(window.end_ns);
    if (known_ns <= 0) return;
    part.ready_mean = sum / static_cast<double>(known_ns);
    part.ready_min = least;
    part.ready_max = most;
  }

  const LoaderTimes& times_;
  std::span<const TimeWindow> windows_;
  std::vector<LoaderPart> parts_;
};

}  // namespace

std::size_t LoaderTimes::bytes() const {
  return fetches.capacity() * sizeof(Fetch) + waits.capacity() * sizeof(TimeWindow) +
         ready.capacity() * sizeof(Ready);
}

LoaderTimes loader_times(const run::Timeline& timeline, const run::ProcessTrack& process,
                         const StepCut& cut) {
  LoaderWatch watch(timeline);
  if (cut.training_iterators.empty()) return {};
  const TrainingLoader loader = training_loader(process, cut);
  const auto draws = draws_of(cut);
  bool workers = false;
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::min();
  for (const run::IteratorFact& iterator : loader.iterators) {
    const auto own = draws.find(iterator.iterator);
    if (own == draws.end() || iterator.worker_pids.empty()) continue;
    workers = true;
    const std::int64_t end_ns = own->second.back().end_ns;
    watch.add(iterator, own->second, begin_ns, end_ns);
    begin_ns = end_ns;
  }
  if (!workers && loader.fact.num_workers.value_or(0) == 0) watch.add_own(process, cut);
  return watch.taken(cut);
}

std::vector<LoaderPart> loader_parts(const LoaderTimes& times,
                                     std::span<const TimeWindow> windows) {
  return Parts(times, windows).taken();
}

}  // namespace flatout::analyse
