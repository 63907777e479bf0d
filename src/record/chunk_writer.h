// What a ring gave, into the store: by the recorder while it lives, by recover() afterwards.
#pragma once

#include "record/ring_decoder.h"
#include "run/sink.h"

namespace flatout::record {

// All of a chunk but its lanes and facts, which come before and of which each writer has its own
// view. `check` gets the outcome of each call. One thread.
template <typename Check>
void write_records(const RingChunk& chunk, pid_t pid, run::RunSink& sink, Check&& check) {
  if (!chunk.phases.empty()) check(sink.phases(pid, chunk.phases));
  if (!chunk.batches.empty()) check(sink.batches(pid, chunk.batches));
  if (!chunk.device_phases.empty()) check(sink.device_phases(pid, chunk.device_phases));
  if (!chunk.values.empty()) check(sink.values(pid, chunk.values));
  // A name before what bears it.
  if (!chunk.trace_names.empty()) check(sink.trace_names(pid, chunk.trace_names));
  if (!chunk.activities.empty()) check(sink.activities(pid, chunk.activities));
  if (!chunk.host_spans.empty()) check(sink.host_spans(pid, chunk.host_spans));
  if (!chunk.trace_windows.empty()) check(sink.trace_windows(pid, chunk.trace_windows));
}

}  // namespace flatout::record
