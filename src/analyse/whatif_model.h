// A discrete-event model of a training loop that is fed by PyTorch's loader.
//
//   index queue -> W workers, batch i by worker i mod W -> reorder by index
//               -> step thread: draw, then its own work -> device
//
// What it keeps of PyTorch: the iterator primes W * prefetch_factor indices and
// sends one more each time a batch is drawn; batches are delivered in order;
// an epoch's first draw finds an empty pipeline, and new workers where they do not persist
// (building them is no part of a step; what of their start comes behind it is); with no workers the
// fetch runs inside the draw. Cores are one shared resource with processor sharing: each thread
// gets the share s = min(1, cores / wanted cores). One thread progresses at the rate s; compute
// that keeps d > 1 cores busy at s to the power of d, because its threads meet at barriers and wait
// there (spinning) for whichever has no core: within 1.6 of PyTorch with 1, 2 and 4 threads on 2
// cores beside 1 to 4 burning workers (tests/whatif/measured_teams.json). With many threads that
// goes to 0, which they do not: the fullest core holds k = ceil(wanted / cores) tasks and gives
// each 1 / k, and who waits for two such cores that take turns at random gets 1 / k^2. That is the
// least. Of 1 to 32 threads on as many cores or more, beside up to two workers a core, it is 0.35
// to 1.72 times the speed under a simulated fair scheduler with barriers 1 to 5 ms apart, and up
// to 5.5 times that with barriers 0.2 ms apart (whatif_teams_test.cc).
//
// Pure and deterministic; any thread. Times are wall nanoseconds of the
// modelled machine. Measured against real PyTorch:
// docs/decisions/0017-what-if-model.md.
#pragma once

#include <cstdint>
#include <span>

#include "run/predictor.h"

namespace flatout::analyse {

// What one batch costs whoever fetches it, dataset and collate together.
struct FetchCost {
  double cpu_ns = 0;   // on one core
  double wait_ns = 0;  // needs no core: sleep, storage, network
};

// What a loader without persistent workers pays at each begin of an epoch: its workers are
// processes that start one after the other, all before the first draw.
struct WorkerStart {
  double build_ns = 0;        // from the start of one worker to that of the next
  double start_ns = 0;        // of CPU, from its start until it fetches
  double first_fetch_ns = 0;  // of CPU, by which its first fetch costs more
};

// What one step costs besides drawing its batches, when nothing competes for
// cores. Spread evenly behind its draws.
struct StepCost {
  double host_ns = 0;        // on one core
  double compute_ns = 0;     // forward, backward, optimizer on the host
  double compute_cores = 1;  // that it keeps busy; below 1 the rest of it is waiting
  double device_ns = 0;      // work of a device of its own; 0: the CPU is the device
  int draws = 1;             // batches drawn (accumulation draws several)
};

// The cost of handing a batch from a worker to the step thread. The fixed parts
// are latency (waking threads of both processes, waiting for the worker's
// interpreter lock), not work that keeps a core busy.
struct IpcCost {
  double worker_fixed_ns = 0;     // a batch; hides behind the waiting of the next fetch
  double worker_ns_per_byte = 0;  // on a core: collating into fresh shared memory pages
  double main_fixed_ns = 0;       // a draw: receive, unpickle, map
  double main_held_ns = 0;      // by which it takes longer while its worker computes, and no longer
                                // than that: file descriptors come from a thread of the worker's
  double main_ns_per_byte = 0;  // on a core: first touch of the mapped pages
};

struct LoopModel {
  double cores = 1;         // usable by the run, may be a fraction (cgroup quota)
  double others_cores = 0;  // that other programs want of them, all the time
  run::LoaderSetting loader{};
  IpcCost ipc{};                 // not paid without workers
  double batch_bytes = 0;        // of one batch, for ipc
  double draw_ns = 0;            // step thread's own work in a draw: sampler, bookkeeping
  std::int64_t epoch_draws = 0;  // batches of an epoch; 0 = one endless epoch
  WorkerStart start{};           // not paid without workers
};

// Means over the counted steps.
struct LoopTimes {
  double step_ns = 0;   // wall time of a step, draws included
  double busy_ns = 0;   // of it, what lies outside the draws
  double fetch_ns = 0;  // wall time of one fetch, over all fetches
};

// Runs `warm_up` steps that are not counted and then each of `steps` once, in
// order (the warm-up takes them from the first). Fetches are taken in order
// and again from the first. All zero when a span is empty or cores <= 0.
LoopTimes simulate(const LoopModel& model, std::span<const FetchCost> fetches,
                   std::span<const StepCost> steps, std::size_t warm_up);

}  // namespace flatout::analyse
