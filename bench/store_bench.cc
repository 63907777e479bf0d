// What the store costs the recorder: events appended a second (encoding,
// compression, checksum and one write a tick, without waiting for the disk),
// and how many bytes an event takes in the log.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "store/frame_log.h"
#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/seal.h"
#include "store/series_reader.h"
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

// ---- sealed runs

// A device as its driver reads: utilisation in percent as a sawtooth, memory in
// pages, power in milliwatts, temperature in degrees, clocks in steps.
void add_device_tick(std::vector<run::Sample>& out, std::int64_t t, int tick, std::mt19937& noise) {
  const auto source = run::device_source(0);
  const bool busy = tick % 17 < 11;
  const double percent = busy ? 92 + static_cast<double>(noise() % 8) : 0;
  out.push_back({t, percent / 100, source, run::Metric::kDeviceUtilization});
  out.push_back(
      {t, 8.6e9 + 2097152.0 * (tick % 300 / 100), source, run::Metric::kDeviceMemoryUsed});
  const double milliwatts = (busy ? 310'000 : 90'000) + static_cast<double>(noise() % 9'000);
  out.push_back({t, milliwatts / 1000, source, run::Metric::kDevicePower});
  out.push_back({t, 60.0 + tick / 50 % 4, source, run::Metric::kDeviceTemperature});
  out.push_back({t, busy ? 1980.0 : 1755.0, source, run::Metric::kDeviceClockSm});
}

// A run that has ended, with `points` of the series of one device.
std::string record_points(const store::Home& home, std::int64_t points) {
  const base::FakeClock clock;
  auto writer = store::RunWriter::open(home, clock);
  auto info = store::sample_info(writer->id());
  info.host = store::viewpoint_here().host;
  (void)writer->begin(info);
  std::mt19937 noise(1);
  std::vector<run::Sample> samples;
  std::int64_t t = 1'000'000'000;
  for (std::int64_t i = 0; i < points; i += 5) {
    add_device_tick(samples, t, static_cast<int>(i / 5), noise);
    t += 100'000'000 + noise() % 60'000;
    if (samples.size() < 500) continue;
    (void)writer->samples(samples);
    samples.clear();
    (void)writer->flush();
  }
  (void)writer->samples(samples);
  (void)writer->end({});
  return writer->id();
}

// Log to verified run.sqlite: reading, encoding, writing, reading back.
void seal_points(benchmark::State& state) {
  const store::ScratchFolder scratch;
  const auto home = store::Home::at(scratch.path());
  const auto from = store::viewpoint_here();
  const auto id = record_points(home, state.range(0));
  const auto log = home.log(id);
  const auto kept = scratch.path() / "kept.flo";
  std::filesystem::copy_file(log, kept);
  const auto sealed = home.folder(id) / store::kSealedFileName;
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove(sealed);
    std::filesystem::copy_file(kept, log, std::filesystem::copy_options::overwrite_existing);
    state.ResumeTiming();
    if (!store::seal_run(home, id, from)) state.SkipWithError("not sealed");
  }
  const auto points = static_cast<double>(state.range(0));
  state.counters["bytes_per_point"] =
      static_cast<double>(std::filesystem::file_size(sealed)) / points;
  state.counters["log_bytes_per_point"] =
      static_cast<double>(std::filesystem::file_size(kept)) / points;
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(std::filesystem::file_size(kept)));
}
BENCHMARK(seal_points)->Arg(100'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

// What a report reads of a sealed run of 10 M points, and what a chart reads.
struct SealedRun {
  SealedRun() : home(store::Home::at(scratch.path())), id(record_points(home, 10'000'000)) {
    (void)store::seal_run(home, id, store::viewpoint_here());
  }
  store::ScratchFolder scratch;
  store::Home home;
  std::string id;
};
const SealedRun& sealed_run() {
  static const SealedRun run;
  return run;
}

void read_sealed_10m(benchmark::State& state) {
  const auto folder = sealed_run().home.folder(sealed_run().id);
  for (auto _ : state) {
    auto timeline = store::read_run(folder, store::viewpoint_here());
    benchmark::DoNotOptimize(timeline);
  }
  state.SetItemsProcessed(state.iterations() * 10'000'000);
}
BENCHMARK(read_sealed_10m)->Unit(benchmark::kMillisecond);

// A chart of all five series, a thousand slices each; opening included.
void zoom_10m(benchmark::State& state) {
  const auto folder = sealed_run().home.folder(sealed_run().id);
  std::uint64_t decoded = 0;
  for (auto _ : state) {
    auto reader = store::SeriesReader::open(folder, store::viewpoint_here());
    if (!reader) {
      state.SkipWithError("not opened");
      break;
    }
    for (const auto& series : reader->series()) {
      auto slices = reader->zoom(series.key, series.first_ns, series.last_ns + 1, 1000);
      benchmark::DoNotOptimize(slices);
    }
    decoded = reader->chunks_decoded();
  }
  state.counters["chunks_decoded"] = static_cast<double>(decoded);
}
BENCHMARK(zoom_10m)->Unit(benchmark::kMillisecond);

// A run that flatout really recorded: FLATOUT_BENCH_RUN names its folder, with
// its log (recorded under FLATOUT_SEAL=off).
void seal_real_run(benchmark::State& state) {
  const char* folder = std::getenv("FLATOUT_BENCH_RUN");
  const std::filesystem::path source =
      std::filesystem::path(folder == nullptr ? "" : folder) / store::kLogFileName;
  if (folder == nullptr || !std::filesystem::exists(source)) {
    state.SkipWithError("FLATOUT_BENCH_RUN names no run with a log");
    return;
  }
  const store::ScratchFolder scratch;
  const auto home = store::Home::at(scratch.path());
  const std::string id = "real";
  std::filesystem::create_directories(home.folder(id));
  const auto sealed = home.folder(id) / store::kSealedFileName;
  auto from = store::viewpoint_here();
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove(sealed);
    std::filesystem::copy_file(source, home.log(id),
                               std::filesystem::copy_options::overwrite_existing);
    state.ResumeTiming();
    if (!store::seal_run(home, id, from)) state.SkipWithError("not sealed");
  }
  const auto reader = store::SeriesReader::open(home.folder(id), from);
  std::uint64_t points = 0;
  for (const auto& series : reader->series()) points += series.count;
  const auto timeline = store::read_run(home.folder(id), from);
  std::uint64_t events = 0;
  for (const auto& [pid, track] : timeline->processes) {
    events += track.phases.size() + track.batches.size();
  }
  state.counters["points"] = static_cast<double>(points);
  state.counters["events"] = static_cast<double>(events);
  state.counters["log_bytes"] = static_cast<double>(std::filesystem::file_size(source));
  state.counters["sealed_bytes"] = static_cast<double>(std::filesystem::file_size(sealed));
}
BENCHMARK(seal_real_run)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
