// What the host did: steps, phases, threads, loader workers, readings.
#include <map>
#include <optional>
#include <string>

#include "analyse/kernels/traced_lanes.h"
#include "analyse/run_steps.h"
#include "app/perfetto_lanes.h"
#include "run/metric.h"
#include "run/spans.h"
#include "run/threads.h"

namespace flatout::app {
namespace {

void write_steps_lane(PerfettoFile& file) {
  std::optional<report::TraceLane> lane;
  std::int64_t number = 0;
  const analyse::RunSteps steps(file.timeline());
  if (file.timeline().info.trace_file.empty()) file.set_evaluations(steps.evaluations());
  steps.each([&](const analyse::Step& step, bool warm_up) {
    if (!lane) lane = file.lane(file.training(), 1, "steps", 0);
    if (number == 0 && file.timeline().info.trace_file.empty()) {
      file.set_first_step(step.begin_ns);
    }
    const std::string name = "step " + std::to_string(++number) + (warm_up ? " (warm-up)" : "");
    file.out()
        .span(*lane, kStepCategory, name, step.begin_ns, step.end_ns)
        .arg("step", number)
        .arg("warm_up", warm_up)
        .ms_arg("own_ms", step.own_ns)
        .arg("updates", step.updates)
        .arg("draws", step.draws);
    if (step.samples) file.out().real_arg("samples", *step.samples);
    return !file.out().failed();
  });
}

void write_phases(PerfettoFile& file, const analyse::TrainingLane& trains) {
  std::optional<report::TraceLane> lane;
  const std::string name =
      trains.rank < 0 ? "phases" : "phases of rank " + std::to_string(trains.rank);
  const run::ProcessTrack& process = file.timeline().processes.at(trains.pid);
  (void)run::ThreadSpans(process, trains.lane, [&](const run::Span& span) {
    if (!lane) lane = file.lane(file.training(), 2, name, file.trains(trains.pid) ? 1 : 2);
    file.out().span(*lane, kPhaseCategory, run::phase_name(span.phase), span.begin_ns, span.end_ns);
    if (span.id != 0) file.out().arg("iterator", span.id);
  });
}

// As PyTorch's profiler calls them.
std::string_view span_category(run::HostSpanKind kind) {
  switch (kind) {
    case run::HostSpanKind::kOp:
      return "cpu_op";
    case run::HostSpanKind::kPython:
      return "python_function";
    case run::HostSpanKind::kCall:
      return "cuda_runtime";
    case run::HostSpanKind::kRange:
      return kRangeCategory;
    case run::HostSpanKind::kMark:
      return kMarkCategory;
    case run::HostSpanKind::kAnnotation:
      break;
  }
  return "user_annotation";
}

// What need not nest with what its thread does has lanes of its own; marks are arrows.
class RangeLanes {
 public:
  RangeLanes(PerfettoFile& file, pid_t pid) : file_(file), pid_(pid) {}

  void write(const run::HostSpan& span, std::string_view name) {
    if (span.kind == run::HostSpanKind::kMark) {
      if (!marks_) marks_ = file_.lane(file_.process(pid_), 0, "marks", kLastLane);
      file_.out().moment(*marks_, kMarkCategory, name, span.begin_ns);
      return;
    }
    const auto lane = rows_.of(span.begin_ns, span.end_ns, [&](std::size_t row) {
      return file_.lane(file_.process(pid_), 0, row_name("ranges", row), kLastLane);
    });
    file_.out().span(lane, kRangeCategory, name, span.begin_ns, span.end_ns);
  }

 private:
  PerfettoFile& file_;
  pid_t pid_;
  RowLanes<NestedRows> rows_;
  std::optional<report::TraceLane> marks_;
};

void write_process_threads(PerfettoFile& file, pid_t pid, const run::ProcessTrack& process) {
  std::map<std::uint16_t, RowLanes<NestedRows>> rows;  // by lane
  const run::NameTable& names = *file.timeline().names;
  const run::Threads threads(process);
  RangeLanes apart(file, pid);
  for (const run::HostSpan& span : process.host_spans) {
    if (file.out().failed()) return;
    if (span.kind == run::HostSpanKind::kRange || span.kind == run::HostSpanKind::kMark) {
      apart.write(span, names.at(span.name));
      continue;
    }
    const std::uint16_t thread = threads.of(span.lane);
    RowLanes<NestedRows>& own = rows[thread];
    const auto lane = own.of(span.begin_ns, span.end_ns, [&](std::size_t row) {
      if (row == 0) return file.thread(pid, thread);
      return file.lane(file.process(pid), 0, row_name(file.thread_name(pid, thread), row),
                       file.thread_order(pid, thread));
    });
    file.out().span(lane, span_category(span.kind), names.at(span.name), span.begin_ns,
                    span.end_ns);
    if (span.correlation != 0) file.out().arg("correlation", span.correlation);
    // By which flatout puts it back, when it reads the file.
    const std::int64_t first = own.first().thread;
    if (lane.thread != first) file.out().arg("flatout_thread", first);
  }
}

void write_batches(PerfettoFile& file, pid_t pid, const run::ProcessTrack& process) {
  RowLanes<FlatRows> rows;
  const std::string name =
      process.proc.worker_id < 0 ? "batches" : "worker " + std::to_string(process.proc.worker_id);
  for (const run::Batch& batch : process.batches) {
    if (file.out().failed()) return;
    const auto lane = rows.of(batch.begin_ns, batch.end_ns, [&](std::size_t row) {
      return file.lane(file.process(pid), 0, row_name(name, row), kLastLane);
    });
    file.out()
        .span(lane, kBatchCategory, "batch " + std::to_string(batch.sequence), batch.begin_ns,
              batch.end_ns)
        .arg("iterator", batch.iterator)
        .arg("samples", batch.samples)
        .ms_arg("cpu_ms", batch.cpu_ns)
        .ms_arg("collate_ms", batch.collate_ns);
    if (batch.batch_bytes != 0 && batch.batch_bytes != run::kUnknownBytes) {
      file.out().arg("batch_bytes", batch.batch_bytes);
    }
  }
}

std::int64_t group_of_source(PerfettoFile& file, std::int32_t source) {
  if (source == run::kHostSource) return file.machine();
  if (run::is_device_source(source)) return file.device(run::device_index(source));
  return file.process(source);
}

}  // namespace

void write_training(PerfettoFile& file) {
  write_steps_lane(file);
  if (file.steps()) {
    file.set_others(analyse::other_traced_lanes(file.timeline(), file.steps()->pid));
  }
  for (const analyse::TrainingLane& trains : analyse::training_lanes(file.timeline())) {
    write_phases(file, trains);
  }
}

void write_threads(PerfettoFile& file) {
  if (!file.timeline().names) return;
  for (const auto& [pid, process] : file.timeline().processes) {
    write_process_threads(file, pid, process);
  }
}

void write_workers(PerfettoFile& file) {
  for (const auto& [pid, process] : file.timeline().processes) write_batches(file, pid, process);
}

void write_readings(PerfettoFile& file) {
  for (const auto& [key, points] : file.timeline().series) {
    const auto metric = run::metric_info(key.metric);
    if (!metric) continue;  // of a newer flatout
    for (const run::Point& point : points) {
      if (file.out().failed()) return;
      file.out().reading(group_of_source(file, key.source), metric->name, metric->unit, point.t_ns,
                         point.value);
    }
  }
  for (const auto& [pid, process] : file.timeline().processes) {
    for (const run::NamedValue& value : process.values) {
      if (file.out().failed()) return;
      file.out().reading(file.process(pid), value.name, "value", value.t_ns, value.value);
    }
  }
}

}  // namespace flatout::app
