// Training loops told by a few numbers, as Timelines: what the tables of
// verdicts are made of.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyse/timeline_builder.h"

namespace flatout::analyse {

// What a row of the table builds a run from; times in ms.
struct Loop {
  int steps = 60;
  int workers = 0;
  double wait = 0;  // in the draw
  double compute = 10;
  double other = 0;
  double save = 0;  // torch.save, every step
  int epoch = 0;    // steps an epoch, 0 = one epoch
  double gap = 0;   // building an iterator
  double batch_wall = 0, batch_cpu = 0, collate = 0;
  double hand_over = 0;          // from the worker's end to the draw's end
  std::uint64_t disk_bytes = 0;  // a batch
};

// The draw waits for its batch, which ends `hand_over` before the draw does.
inline TimelineBuilder run_of(const Loop& loop) {
  TimelineBuilder run;
  run.loader(loop.workers);
  LaneScript lane(500);
  std::uint32_t iterator = 0;
  std::uint32_t sequence = 0;
  for (int step = 0; step < loop.steps; ++step) {
    if (iterator == 0 || (loop.epoch > 0 && step % loop.epoch == 0)) {
      if (iterator != 0) lane.exhaust(iterator, 0.1 * loop.gap);
      ++iterator;
      lane.build(iterator, iterator == 1 ? 50 : 0.9 * loop.gap);
      run.iterator(iterator, loop.workers);
    }
    lane.draw(iterator, loop.wait).train(loop.compute).idle(loop.other);
    if (loop.save > 0) lane.span(run::Phase::kCheckpoint, loop.save);
    const std::int64_t drawn = lane.now_ns() - ns(loop.compute + loop.other + loop.save);
    run::Batch batch;
    batch.end_ns = drawn - ns(loop.hand_over);
    batch.begin_ns = batch.end_ns - ns(loop.batch_wall);
    batch.cpu_ns = ns(loop.batch_cpu);
    batch.collate_ns = ns(loop.collate);
    const double period = loop.wait + loop.compute + loop.other + loop.save;
    batch.idle_ns = ns(std::max(0.0, loop.workers * period - loop.batch_wall));
    batch.samples = 32;
    batch.iterator = loop.workers == 0 ? iterator : 0;
    batch.disk_bytes = loop.disk_bytes;
    const int worker = loop.workers == 0 ? 0 : step % loop.workers;
    batch.sequence =
        loop.workers == 0 ? sequence++ : static_cast<std::uint32_t>(step / loop.workers);
    batch.stages = {{"JPEG decode", 32, ns(0.6 * loop.batch_wall)}};
    if (loop.batch_wall > 0) {
      run.batch(loop.workers == 0 ? TimelineBuilder::kPid : 200 + worker, batch);
    }
  }
  if (iterator != 0) lane.exhaust(iterator, 0.1);
  return run.lane(lane);
}

}  // namespace flatout::analyse
