// A team of intra-op threads beside workers that burn, tick by tick, under a fair scheduler: what
// whatif_model.h says of a team's speed is held to this. For tests.
//
// A core has a queue of its own and runs the task with the least virtual run time for one slice,
// or until a task that wakes is owed more than kWakeUpOwed. A core without a task takes a waiting
// one from the longest queue, and every kBalance one task moves from the longest queue to the
// shortest where they differ by two or more: the rules of Linux' fair class, without its groups and
// caches. Each thread of the team works for `grain_ns`, then spins at the barrier for at most
// `spin_ns` (libgomp: some 300 000 rounds, near a millisecond) and sleeps until the last one has
// come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace flatout::analyse::testing {

struct TeamBeside {
  int threads = 2;  // of the team
  int cores = 2;
  int workers = 0;          // that never sleep
  double grain_ns = 200e3;  // a thread's work from one barrier to the next
  double spin_ns = 1e6;
  double slice_ns = 3e6;
  std::uint64_t seed = 1;  // of which core each task starts on, and how far into its slice
};

class TeamSimulation {
 public:
  explicit TeamSimulation(const TeamBeside& what) : what_(what), rng_(what.seed) {
    const auto tasks = static_cast<std::size_t>(what.threads + what.workers);
    tasks_.resize(tasks);
    queues_.resize(static_cast<std::size_t>(what.cores));
    running_.assign(queues_.size(), kNone);
    std::vector<std::size_t> order(tasks);
    for (std::size_t i = 0; i < tasks; ++i) order[i] = i;
    std::ranges::shuffle(order, rng_);
    for (std::size_t i = 0; i < tasks; ++i) {
      tasks_[order[i]].core = i % queues_.size();
      tasks_[order[i]].run_ns = std::uniform_real_distribution<double>(0, what.slice_ns)(rng_);
      queues_[i % queues_.size()].push_back(order[i]);
    }
    for (std::size_t i = 0; i < team(); ++i) tasks_[i].left_ns = what.grain_ns;
  }

  // The team's progress over that of a team whose threads always have a core each.
  double speed(double seconds = 1) {
    const auto ticks = static_cast<std::int64_t>(seconds * 1e9 / kTick);
    for (std::int64_t i = 0; i < ticks; ++i) tick(i);
    return static_cast<double>(barriers_) * what_.grain_ns / (static_cast<double>(ticks) * kTick);
  }

 private:
  static constexpr double kTick = 20e3;
  static constexpr double kWakeUpOwed = 1e6;
  static constexpr std::int64_t kBalance = 200;  // ticks: 4 ms
  static constexpr std::size_t kNone = ~std::size_t{0};

  struct Task {
    std::size_t core = 0;
    double run_ns = 0;    // virtual run time
    double slice_ns = 0;  // used of the present slice
    double left_ns = 0;   // of the grain
    double spun_ns = 0;
    bool asleep = false;
  };

  std::size_t team() const { return static_cast<std::size_t>(what_.threads); }

  void tick(std::int64_t now) {
    if (now % kBalance == 0) balance();
    for (std::size_t core = 0; core < queues_.size(); ++core) pick(core);
    for (std::size_t core = 0; core < queues_.size(); ++core) run(core);
    open_barrier();
  }

  void pick(std::size_t core) {
    if (queues_[core].empty()) pull(core);
    const std::size_t current = running_[core];
    const auto& queue = queues_[core];
    if (queue.empty()) {
      running_[core] = kNone;
      return;
    }
    const bool keep = current != kNone && std::ranges::find(queue, current) != queue.end() &&
                      tasks_[current].slice_ns < what_.slice_ns;
    if (keep) return;
    running_[core] = *std::ranges::min_element(
        queue, {}, [this](std::size_t task) { return tasks_[task].run_ns; });
    tasks_[running_[core]].slice_ns = 0;
  }

  void run(std::size_t core) {
    const std::size_t which = running_[core];
    if (which == kNone) return;
    Task& task = tasks_[which];
    task.run_ns += kTick;
    task.slice_ns += kTick;
    if (which >= team()) return;
    if (task.left_ns > 0) {
      task.left_ns -= kTick;
    } else if ((task.spun_ns += kTick) >= what_.spin_ns) {
      task.asleep = true;
      std::erase(queues_[core], which);
      running_[core] = kNone;
    }
  }

  void open_barrier() {
    for (std::size_t i = 0; i < team(); ++i) {
      if (tasks_[i].left_ns > 0) return;
    }
    ++barriers_;
    for (std::size_t i = 0; i < team(); ++i) {
      tasks_[i].left_ns = what_.grain_ns;
      tasks_[i].spun_ns = 0;
      if (tasks_[i].asleep) wake(i);
    }
  }

  // On a core without a task, else on its own.
  void wake(std::size_t which) {
    Task& task = tasks_[which];
    task.asleep = false;
    const auto idle =
        std::ranges::find_if(queues_, [](const auto& queue) { return queue.empty(); });
    if (!queues_[task.core].empty() && idle != queues_.end()) {
      task.core = static_cast<std::size_t>(idle - queues_.begin());
    }
    auto& queue = queues_[task.core];
    double least = task.run_ns;
    for (const std::size_t other : queue) {
      if (other == queue.front() || tasks_[other].run_ns < least) least = tasks_[other].run_ns;
    }
    task.run_ns = std::max(task.run_ns, least - what_.slice_ns);
    queue.push_back(which);
    const std::size_t current = running_[task.core];
    if (current == kNone || tasks_[current].run_ns - task.run_ns > kWakeUpOwed) {
      running_[task.core] = which;
      task.slice_ns = 0;
    }
  }

  auto longest() {
    return std::ranges::max_element(queues_, {}, [](const auto& queue) { return queue.size(); });
  }

  void move(std::size_t from, std::size_t to) {
    auto& queue = queues_[from];
    const auto waiting =
        std::ranges::find_if(queue, [&](std::size_t task) { return task != running_[from]; });
    if (waiting == queue.end()) return;
    const std::size_t which = *waiting;
    queue.erase(waiting);
    queues_[to].push_back(which);
    tasks_[which].core = to;
  }

  void pull(std::size_t core) {
    const auto from = longest();
    if (from->size() > 1) move(static_cast<std::size_t>(from - queues_.begin()), core);
  }

  void balance() {
    const auto to = std::ranges::min_element(queues_, {}, [](const auto& q) { return q.size(); });
    const auto from = longest();
    if (from->size() < to->size() + 2) return;
    move(static_cast<std::size_t>(from - queues_.begin()),
         static_cast<std::size_t>(to - queues_.begin()));
  }

  TeamBeside what_;
  std::mt19937_64 rng_;
  std::vector<Task> tasks_;  // the team, then the workers
  std::vector<std::vector<std::size_t>> queues_;
  std::vector<std::size_t> running_;  // by core
  std::int64_t barriers_ = 0;
};

}  // namespace flatout::analyse::testing
