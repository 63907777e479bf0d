// What the training loader's batches cost, from the records that the loader's
// workers (or, with 0 workers, the step thread) wrote. Only batches whose
// fetch ended in the steady window count; where those are fewer than two a
// worker, all of the training loader's do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analyse/steps.h"
#include "run/observed.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// One batch of the training loader, of which a day has a million: what only sums are needed of is
// not here.
struct BatchCost {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t cpu_ns = 0;                   // thread CPU time of the fetch, collate included
  std::optional<std::int64_t> run_delay_ns;  // runnable but without a core
  std::int64_t idle_ns = 0;                  // worker idle before it

  std::int64_t wall_ns() const { return std::max<std::int64_t>(0, end_ns - begin_ns); }
};

// How one draw met its batch. Worker w of W delivers draws w, w+W, w+2W, ...
// (PyTorch's round robin, in_order=True).
struct Delivery {
  std::int64_t wait_ns = 0;  // the draw's own time
  // Part of it in which the batch had been fetched already: hand-over from the
  // worker (pickling, queue, shared memory, pinning).
  std::int64_t ready_wait_ns = 0;
  // Worker's end to draw's end, where the draw was waiting at the worker's
  // end; absent where the batch was there first.
  std::optional<std::int64_t> transfer_ns;
  // Its worker was fetching a later batch in that time. A worker hands a batch over in threads of
  // its own, which wait for the interpreter lock that the fetch holds.
  bool worker_fetching = false;
};

// What a report says of the loader, of which max_samples_per_s is the rate at which the present
// setting can deliver: workers over wall a sample, bounded by usable cores over CPU a sample, and
// by the delivered rate where the program waited in most draws; and what the rules judge it by.
struct LoaderStats : run::LoaderReport {
  bool in_step_thread = false;  // batches are fetched inside the draw
  std::vector<BatchCost> batches;
  std::vector<Delivery> deliveries;  // steady draws with workers whose batch is known
  std::set<pid_t> worker_pids;
  double wall_ns = 0, cpu_ns = 0, collate_ns = 0;       // sums over `batches`
  std::optional<std::uint64_t> read_bytes, disk_bytes;  // absent where the kernel did not tell
  std::optional<double> batch_bytes;                    // mean, of the batches that told
  double samples = 0;                                   // in `batches`
  // Of the first fetch that the step thread made, where it was of this loader.
  std::optional<std::int64_t> first_fetch_cpu_ns;
  std::optional<double> collate_share;
  // Runnable but without a core, share of the wall time of the batches that
  // tell; where none does, of all the workers' time.
  std::optional<double> fetch_run_delay;
  std::optional<double> worker_disk_wait;  // in uninterruptible sleep, share of time

  // Fetch wall that is neither CPU nor waiting for a core, share of wall.
  std::optional<double> waiting_share() const;
};

// Absent where the step process stated no loader and drew no batch.
std::optional<LoaderStats> measure_loader(const run::Timeline& timeline,
                                          const run::ProcessTrack& process, const StepCut& cut,
                                          std::span<const Step> steady);

}  // namespace flatout::analyse
