#include "data/tune/machine.h"

#include <algorithm>

namespace flatout::data::tune {
namespace {

// Prefetched batches may take an eighth of the memory that the cgroup, or the machine, has.
constexpr std::size_t kShareOfMemory = 8;
constexpr std::size_t kMostAhead = 64;
// Threads beyond the cores only wait for bytes: enough of them for a disk far away.
constexpr int kThreadsPerCore = 4;
constexpr int kFewestMostThreads = 32;

}  // namespace

std::int64_t processes_here(const Machine& machine, std::int64_t ranks) {
  return machine.told_processes ? *machine.told_processes : ranks;
}

// Each process could win by outnumbering the others until all have too many threads: where there
// are several, none goes beyond the cores, but where it waits for bytes.
int most_threads(const Machine& machine) {
  const int processes = machine.told_processes.value_or(1);
  const int alone = std::max(kThreadsPerCore * machine.cores, kFewestMostThreads);
  return processes == 1 ? alone : std::max(machine.cores, kFewestMostThreads / processes);
}

// Where nothing is said: the cores, of which a tuned loader begins with its process's share.
int first_threads(const Machine& machine, const Asked& asked) {
  if (asked.threads > 0) return asked.threads;
  if (!asked.tune) return machine.cores;
  return std::max(1, machine.cores / machine.told_processes.value_or(1));
}

std::optional<Bounds> bounds_of(const Machine& machine, const Asked& asked, std::int64_t ranks,
                                std::size_t sample_bytes, std::size_t batch_size) {
  if (!asked.tune || (asked.threads > 0 && asked.ahead > 0)) return std::nullopt;
  const auto processes = static_cast<std::size_t>(processes_here(machine, ranks));
  const std::size_t batch_bytes = std::max<std::size_t>(1, sample_bytes * batch_size);
  return Bounds{
      .cores = machine.cpus,
      .most_threads = most_threads(machine),
      .most_ahead = std::clamp(machine.memory_bytes / kShareOfMemory / processes / batch_bytes,
                               kFirstAhead, kMostAhead),
      .batch_size = batch_size,
      .tune_threads = asked.threads == 0,
      .tune_ahead = asked.ahead == 0};
}

}  // namespace flatout::data::tune
