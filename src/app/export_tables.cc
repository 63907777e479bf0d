#include "app/export_tables.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analyse/run_steps.h"
#include "analyse/tracked/branches.h"
#include "report/csv.h"
#include "report/show.h"
#include "report/timestamp.h"
#include "run/metric.h"

namespace flatout::app {
namespace {

constexpr std::size_t kPieceBytes = 1U << 20;

// Hands rows on as soon as there is a piece of them.
class Table {
 public:
  Table(const run::Timeline& timeline, const TableSink& sink, std::string_view header)
      : timeline_(timeline), sink_(sink), header_(header) {}

  report::CsvRows& rows() { return rows_; }
  // Seconds since the start, and the wall-clock time that it was.
  void time(std::int64_t t_ns) {
    const std::int64_t since = t_ns - timeline_.info.started_ns;
    rows_.seconds(since);
    rows_.text(report::rfc3339(timeline_.info.started_wall_ns + since).value_or(""));
  }
  void seconds(std::int64_t t_ns) { rows_.seconds(t_ns - timeline_.info.started_ns); }
  base::Result<void> end_row() {
    rows_.end_row();
    return rows_.size() < kPieceBytes ? base::Result<void>{} : flush();
  }
  base::Result<void> flush() {
    const std::string piece = std::exchange(header_, {}) + rows_.take();
    return piece.empty() ? base::Result<void>{} : sink_(piece);
  }

 private:
  const run::Timeline& timeline_;
  const TableSink& sink_;
  std::string header_;
  report::CsvRows rows_;
};

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

std::optional<std::int64_t> known(std::uint64_t bytes) {
  if (bytes == run::kUnknownBytes) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::string steps_header() {
  std::string header = "step,start_s,start_time,end_s,own_ms,warm_up,samples,updates,draws";
  for (std::size_t i = 1; i <= run::kPhaseCount; ++i) {
    header += "," + std::string(run::kPhaseNames[i % run::kPhaseCount]) + "_ms";
  }
  return header + "\n";
}

base::Result<void> write_steps(const run::Timeline& timeline, const TableSink& sink) {
  Table table(timeline, sink, steps_header());
  std::int64_t number = 0;
  base::Result<void> done;
  analyse::RunSteps(timeline).each([&](const analyse::Step& step, bool warm_up) {
    table.rows().integer(++number);
    table.time(step.begin_ns);
    table.seconds(step.end_ns);
    table.rows().real(ms(step.own_ns)).integer(warm_up ? 1 : 0);
    table.rows().real(step.samples).integer(step.updates).integer(step.draws);
    for (std::size_t i = 1; i <= run::kPhaseCount; ++i) {
      table.rows().real(ms(step.phases[i % run::kPhaseCount]));
    }
    done = table.end_row();
    return done.has_value();
  });
  return done ? table.flush() : done;
}

base::Result<void> write_series(const run::Timeline& timeline, const TableSink& sink) {
  Table table(timeline, sink, "time_s,time,metric,source,value\n");
  for (const auto& [key, points] : timeline.series) {
    const auto info = run::metric_info(key.metric);
    const std::string metric =
        info ? std::string(info->name) : std::to_string(static_cast<int>(key.metric));
    const std::string source = report::source_label(key.source);
    for (const run::Point& point : points) {
      table.time(point.t_ns);
      table.rows().text(metric).text(source).real(point.value);
      if (auto done = table.end_row(); !done) return done;
    }
  }
  return table.flush();
}

base::Result<void> write_batches(const run::Timeline& timeline, const TableSink& sink) {
  Table table(timeline, sink,
              "pid,worker,iterator,sequence,start_s,start_time,end_s,samples,cpu_ms,collate_ms,"
              "idle_ms,run_delay_ms,read_bytes,disk_bytes,batch_bytes,slowest_stage,"
              "slowest_stage_ms\n");
  for (const auto& [pid, process] : timeline.processes) {
    for (const run::Batch& batch : process.batches) {
      report::CsvRows& rows = table.rows();
      rows.integer(pid);
      rows.integer(process.proc.worker_id < 0
                       ? std::nullopt
                       : std::optional<std::int64_t>(process.proc.worker_id));
      rows.integer(batch.iterator).integer(batch.sequence);
      table.time(batch.begin_ns);
      table.seconds(batch.end_ns);
      rows.integer(batch.samples).real(ms(batch.cpu_ns)).real(ms(batch.collate_ns));
      rows.real(ms(batch.idle_ns));
      rows.real(batch.run_delay_ns == run::kUnknownNs ? std::nullopt
                                                      : std::optional(ms(batch.run_delay_ns)));
      rows.integer(known(batch.read_bytes)).integer(known(batch.disk_bytes));
      rows.integer(batch.batch_bytes == 0 ? std::nullopt : known(batch.batch_bytes));
      const auto slowest = std::ranges::max_element(batch.stages, {}, &run::StageTime::wall_ns);
      if (slowest == batch.stages.end()) {
        rows.none().none();
      } else {
        rows.text(slowest->name).real(ms(slowest->wall_ns));
      }
      if (auto done = table.end_row(); !done) return done;
    }
  }
  return table.flush();
}

base::Result<void> write_values(const run::Timeline& timeline, const TableSink& sink) {
  const auto archived = analyse::archived_tracks(timeline);
  Table table(timeline, sink, "time_s,time,pid,name,step,value,track\n");
  for (const auto& [pid, process] : timeline.processes) {
    for (const run::NamedValue& value : process.values) {
      if (std::ranges::binary_search(archived, std::pair(pid, value.track))) continue;
      table.time(value.t_ns);
      table.rows().integer(pid).text(value.name);
      table.rows().integer(value.step == run::NamedValue::kNoStep ? std::nullopt
                                                                  : std::optional(value.step));
      table.rows().real(value.value).integer(value.track);
      if (auto done = table.end_row(); !done) return done;
    }
  }
  return table.flush();
}

}  // namespace

base::Result<void> write_table(std::string_view table, const run::Timeline& timeline,
                               const TableSink& sink) {
  if (table == "steps") return write_steps(timeline, sink);
  if (table == "series") return write_series(timeline, sink);
  if (table == "batches") return write_batches(timeline, sink);
  if (table == "values") return write_values(timeline, sink);
  return base::fail(base::ErrorCode::kInvalid, "there is no table " + std::string(table));
}

}  // namespace flatout::app
