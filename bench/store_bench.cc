// What the store costs the recorder: events appended a second (encoding,
// compression, checksum and one write a tick, without waiting for the disk),
// and how many bytes an event takes in the log.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "store/frame_log.h"
#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/store_fixture.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

// Ticks of `state.range(0)` phase events of a 10 ms step each.
void append_phases(benchmark::State& state) {
  const store::ScratchFolder scratch;
  const base::FakeClock clock;  // stands still: no sync
  auto writer = store::RunWriter::open(store::Home::at(scratch.path()), clock);
  (void)writer->begin(store::sample_info(writer->id()));
  const auto log = *writer->folder() / store::kLogFileName;
  const auto before = std::filesystem::file_size(log);
  const auto events = store::sample_steps(static_cast<int>(state.range(0)) / 8, 1'000'000'000'000);
  for (auto _ : state) {
    (void)writer->phases(7, events);
    (void)writer->flush();
  }
  const double count = static_cast<double>(state.iterations()) * static_cast<double>(events.size());
  state.counters["bytes_per_event"] =
      static_cast<double>(std::filesystem::file_size(log) - before) / count;
  state.SetItemsProcessed(static_cast<std::int64_t>(count));
}
BENCHMARK(append_phases)->Arg(8)->Arg(80)->Arg(800)->Arg(8000);

// Ticks of the samplers for a main process and `state.range(0)` workers.
void append_samples(benchmark::State& state) {
  const store::ScratchFolder scratch;
  const base::FakeClock clock;
  auto writer = store::RunWriter::open(store::Home::at(scratch.path()), clock);
  (void)writer->begin(store::sample_info(writer->id()));
  const auto log = *writer->folder() / store::kLogFileName;
  const auto before = std::filesystem::file_size(log);
  double count = 0;
  int tick = 0;
  for (auto _ : state) {
    const auto samples = store::sample_tick(++tick % 100'000, 1 + static_cast<int>(state.range(0)));
    count += static_cast<double>(samples.size());
    (void)writer->samples(samples);
    (void)writer->flush();
  }
  state.counters["bytes_per_sample"] =
      static_cast<double>(std::filesystem::file_size(log) - before) / count;
  state.SetItemsProcessed(static_cast<std::int64_t>(count));
}
BENCHMARK(append_samples)->Arg(0)->Arg(8)->Arg(64);

void append_batches(benchmark::State& state) {
  const store::ScratchFolder scratch;
  const base::FakeClock clock;
  auto writer = store::RunWriter::open(store::Home::at(scratch.path()), clock);
  (void)writer->begin(store::sample_info(writer->id()));
  const auto log = *writer->folder() / store::kLogFileName;
  const auto before = std::filesystem::file_size(log);
  const auto batches = store::sample_batches(static_cast<int>(state.range(0)), 1'000'000'000'000);
  for (auto _ : state) {
    (void)writer->batches(8, batches);
    (void)writer->flush();
  }
  const double count =
      static_cast<double>(state.iterations()) * static_cast<double>(batches.size());
  state.counters["bytes_per_batch"] =
      static_cast<double>(std::filesystem::file_size(log) - before) / count;
  state.SetItemsProcessed(static_cast<std::int64_t>(count));
}
BENCHMARK(append_batches)->Arg(1)->Arg(10);

// A million events from a file in the page cache to a Timeline.
void read_run(benchmark::State& state) {
  const store::ScratchFolder scratch;
  const base::FakeClock clock;
  const auto home = store::Home::at(scratch.path());
  auto writer = store::RunWriter::open(home, clock);
  (void)writer->begin(store::sample_info(writer->id()));
  for (int tick = 0; tick < 1250; ++tick) {
    (void)writer->phases(7, store::sample_steps(100, 1'000'000'000 + tick * 1'250'000'000LL));
    (void)writer->flush();
  }
  (void)writer->end({});
  for (auto _ : state) {
    auto timeline = store::read_run(home.folder(writer->id()), store::viewpoint_here());
    benchmark::DoNotOptimize(timeline);
  }
  state.SetItemsProcessed(state.iterations() * 1'000'000);
}
BENCHMARK(read_run)->Unit(benchmark::kMillisecond);

// One line of `flatout ls`.
void read_summary(benchmark::State& state) {
  const store::ScratchFolder scratch;
  const base::FakeClock clock;
  const auto home = store::Home::at(scratch.path());
  auto writer = store::RunWriter::open(home, clock);
  (void)writer->begin(store::sample_info(writer->id()));
  for (int tick = 0; tick < 1000; ++tick) {
    (void)writer->phases(7, store::sample_steps(10, tick * 1'000'000'000LL));
  }
  (void)writer->end({});
  const auto from = store::viewpoint_here();
  for (auto _ : state) {
    auto summary = store::read_summary(home.folder(writer->id()), from);
    benchmark::DoNotOptimize(summary);
  }
}
BENCHMARK(read_summary)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
