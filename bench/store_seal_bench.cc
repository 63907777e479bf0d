// What becomes of a log when its run is over: sealing, for several kinds of log,
// and reading what was sealed. The slowest log sets kSealedBytesPerSecond of
// src/store/seal.cc.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "made_up_run.h"
#include "store/log_file.h"
#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/seal.h"
#include "store/store_fixture.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

// ---- sealing

constexpr std::int64_t kStepNs = 100'000'000;

// What one tick of a kind of log writes; gives how many points or events.
using WriteTick = std::function<std::size_t(store::RunWriter& writer, int tick)>;

std::size_t samples_of(store::RunWriter& writer, int tick, int processes) {
  const auto samples = store::sample_tick(tick, processes);
  (void)writer.samples(samples);
  return samples.size();
}
std::size_t one_process(store::RunWriter& writer, int tick) { return samples_of(writer, tick, 1); }
std::size_t alike_processes(store::RunWriter& writer, int tick) {
  return samples_of(writer, tick, 65);
}
// The same readings each time: no log takes fewer bytes a point.
std::size_t idle_processes(store::RunWriter& writer, int tick) {
  auto samples = store::sample_tick(tick, 65);
  for (auto& sample : samples) sample.value = 0;
  (void)writer.samples(samples);
  return samples.size();
}
std::size_t steps_of(store::RunWriter& writer, int tick, int steps) {
  const auto events = store::sample_steps(steps, 1'000'000'000 + tick * kStepNs * steps);
  (void)writer.phases(7, events);
  return events.size();
}
std::size_t one_step(store::RunWriter& writer, int tick) { return steps_of(writer, tick, 1); }
std::size_t many_steps(store::RunWriter& writer, int tick) { return steps_of(writer, tick, 1000); }
std::size_t batches_of(store::RunWriter& writer, int tick, int count) {
  const auto batches = store::sample_batches(count, 1'000'000'000 + tick * kStepNs);
  (void)writer.batches(8, batches);
  return batches.size();
}
std::size_t one_batch(store::RunWriter& writer, int tick) { return batches_of(writer, tick, 1); }
std::size_t ten_batches(store::RunWriter& writer, int tick) { return batches_of(writer, tick, 10); }

// Nine processes and a device, ten steps a second.
class Training {
 public:
  std::size_t operator()(store::RunWriter& writer, int /*tick*/) {
    std::vector<run::Sample> samples;
    samples_.tick(samples);
    (void)writer.samples(samples);
    const auto events = steps_.step();
    (void)writer.phases(bench::kMainPid, events);
    pid_t worker = 0;
    const std::vector<run::Batch> batches = {steps_.batch(worker)};
    (void)writer.batches(worker, batches);
    return samples.size() + events.size() + batches.size();
  }

 private:
  bench::MadeUpSamples samples_{8, bench::made_up_busy(1), 1};
  bench::MadeUpSteps steps_{8, 1};
};

// An ended run of about `least_items` points or events; gives its id.
std::string record(const store::Home& home, const WriteTick& write, std::size_t least_items,
                   std::size_t& items) {
  const base::FakeClock clock;
  auto writer = store::RunWriter::open(home, clock);
  auto info = store::sample_info(writer->id());
  info.host = store::viewpoint_here().host;
  (void)writer->begin(info);
  items = 0;
  for (int tick = 0; items < least_items; ++tick) {
    items += write(*writer, tick);
    (void)writer->flush();
  }
  (void)writer->end({});
  return writer->id();
}

// Log to verified run.sqlite: reading, encoding, writing, reading back. Bytes
// are those of the payloads, as seal_within() estimates by.
void seal(benchmark::State& state, const WriteTick& write, std::size_t least_items) {
  const store::ScratchFolder scratch;
  const auto home = store::Home::at(scratch.path());
  std::size_t items = 0;
  const auto id = record(home, write, least_items, items);
  const auto log = home.log(id);
  const auto kept = scratch.path() / "kept.flo";
  std::filesystem::copy_file(log, kept);
  const auto opened = store::open_log(home.folder(id));
  const auto payload = store::FrameReader::payload_bytes(*opened->source, opened->status.bytes);
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove(home.folder(id) / store::kSealedFileName);
    std::filesystem::copy_file(kept, log, std::filesystem::copy_options::overwrite_existing);
    state.ResumeTiming();
    if (!store::seal_run(home, id, store::viewpoint_here())) state.SkipWithError("not sealed");
  }
  const auto count = static_cast<double>(items);
  state.counters["log_bytes_per_item"] = static_cast<double>(opened->status.bytes) / count;
  state.counters["payload_bytes_per_item"] = static_cast<double>(payload) / count;
  // What the end of a run counts on.
  state.counters["counted_bytes_per_s"] = static_cast<double>(store::sealable_bytes(base::kSecond));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(payload));
}
BENCHMARK_CAPTURE(seal, one_process, one_process, 1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seal, alike_processes, alike_processes, 2'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seal, idle_processes, idle_processes, 2'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seal, training, Training(), 2'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seal, one_step, one_step, 500'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seal, many_steps, many_steps, 2'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seal, one_batch, one_batch, 100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(seal, ten_batches, ten_batches, 300'000)->Unit(benchmark::kMillisecond);

// ---- reading what was sealed

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

// Opening it: what it is, what of it is damaged, and where its points lie.
void open_sealed_10m(benchmark::State& state) {
  const auto folder = sealed_run().home.folder(sealed_run().id);
  for (auto _ : state) {
    auto timeline = store::read_run(folder, store::viewpoint_here());
    benchmark::DoNotOptimize(timeline);
  }
  state.SetItemsProcessed(state.iterations() * 10'000'000);
}
BENCHMARK(open_sealed_10m)->Unit(benchmark::kMillisecond);

// Opening it and going over all points.
void read_sealed_10m(benchmark::State& state) {
  const auto folder = sealed_run().home.folder(sealed_run().id);
  for (auto _ : state) {
    const auto timeline = store::read_run(folder, store::viewpoint_here());
    if (!timeline) {
      state.SkipWithError("not opened");
      break;
    }
    double sum = 0;
    for (const auto& [key, points] : timeline->series) {
      for (const run::Point& point : points) sum += point.value;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * 10'000'000);
}
BENCHMARK(read_sealed_10m)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
