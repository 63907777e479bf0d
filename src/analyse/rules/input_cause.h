// Why a loader is too slow: the causes of input_bound.
//
//   single_process_loading  0 workers: the step thread itself fetches. Adding
//                           workers helps whatever the fetch does, so this wins
//                           unless collate does; wait, CPU and disk are shown.
//   ipc_transfer            workers: in more than half of the time that draws
//                           wait, their batch has been fetched already.
//   collate                 putting samples together is more than half of the
//                           batch's time.
//   worker_cpu              workers' time is CPU, or waiting for a core, by at
//                           least half.
//   storage_io              else they wait, and the disk shows: their threads
//                           sleep uninterruptibly for a tenth of the time, or
//                           their fetches bring 1 MiB/s or more from storage.
//   remote_wait             else they wait for something that is not the disk
//                           of this machine: network, lock, sleep.
//   native_loading          flatout's loading engine makes the batches; what of it
//                           is too slow: engine_cause.h.
//   ""                      the loader's settings or batches were not seen.
//
// "Half" is the definition of "dominates"; a tenth is the mark at which the
// finding itself starts to speak; 1 MiB/s is far below any disk and above the
// noise of a program that reads its own source files. The origin of all three
// is this project.
#pragma once

#include <string>
#include <vector>

#include "analyse/analysis.h"

namespace flatout::analyse {

constexpr double kDominates = 0.5;

// Workers that fetch for more than this share of their time are what limits
// the rate, however late a finished batch is handed over: a worker that burns
// CPU keeps its own hand-over thread from the interpreter lock.
constexpr double kWorkersBusy = 0.5;
constexpr double kDiskWaitShows = 0.1;
constexpr double kDiskBytesPerSecondShow = 1 << 20;

struct InputCause {
  run::Cause cause = run::Cause::kNone;
  std::string because;   // ends the sentence "the CPU waits for data ..., because"
  double certainty = 1;  // factor on the finding's confidence
};

InputCause find_input_cause(const Analysis& analysis);

// Share of their time in which the loader's workers fetch; absent without batches.
std::optional<double> workers_busy(const LoaderStats& loader);

// Part of the draws' waiting in which the batch had been fetched; absent
// without workers or where no draw could be tied to its batch.
std::optional<double> ready_share(const LoaderStats& loader);

// Bytes from storage a second of fetching.
std::optional<double> fetch_disk_bytes_per_s(const LoaderStats& loader);

// What advice about the loader follows from.
run::InputDetail input_detail(const Analysis& analysis, run::Cause cause);

std::vector<run::Evidence> loader_evidence(const Analysis& analysis);

}  // namespace flatout::analyse
