// Writes runs that nobody recorded, for tests and benchmarks of the API and the page.
//
//   made_up_store values HOME POINTS SERIES [NAME]  one that is over, POINTS values of SERIES names
//   made_up_store small HOME COUNT                  COUNT of few values each
//   made_up_store live HOME SECONDS                 one that goes on for so long, in real time
//
// Prints the ids, one a line. FLATOUT_SEAL=off leaves logs as they are.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/stored_runs.h"
#include "base/process.h"
#include "store/run_meta.h"
#include "store/run_writer.h"
#include "store/seal.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

constexpr pid_t kPid = 4000;
constexpr std::int64_t kStartNs = 1'000'000'000'000;
constexpr std::int64_t kMs = 1'000'000;

std::string series_name(int number) {
  constexpr const char* kNames[] = {"loss", "accuracy", "lr", "grad_norm", "perplexity"};
  return number < 5 ? "train/" + std::string(kNames[number]) : "metric/" + std::to_string(number);
}

double value_of(int series, std::int64_t step, std::int64_t steps) {
  const double along = static_cast<double>(step) / static_cast<double>(steps);
  const double noise = static_cast<double>((step * 2654435761U + series * 40503U) % 1000) / 1000.0;
  return 4.0 * std::exp(-5.0 * along) * (1.0 + 0.2 * series) + 0.3 * noise;
}

class MadeUp {
 public:
  MadeUp(const store::Home& home, std::string name, std::int64_t started_wall_ns,
         std::int64_t started_ns, const base::Clock& clock)
      : home_(home), writer_(store::RunWriter::open(home, clock)), start_(started_ns) {
    run::RunInfo info;
    info.id = writer_->id();
    info.name = std::move(name);
    info.command = {"python", "train.py", "--lr", "0.01"};
    info.cwd = "/home/user/project";
    info.host = store::viewpoint_here().host;
    info.started_wall_ns = started_wall_ns;
    info.started_ns = started_ns;
    info.recorder_pid = ::getpid();
    info.recorder_start_ticks =
        base::process_id(::getpid()).value_or(base::ProcessId{}).start_ticks;
    info.boot_id = base::boot_id();
    info.program_pid = kPid;
    info.cpus = 8;
    (void)writer_->begin(info);
    run::Proc proc;
    proc.pid = kPid;
    proc.parent = 1;
    proc.seen_ns = started_ns;
    proc.role = run::ProcRole::kMain;
    proc.command = "python train.py --lr 0.01";
    (void)writer_->proc(proc);
    run::Device device;
    device.vendor = "nvidia";
    device.name = "Made-Up GPU";
    device.memory_total_bytes = 80'000'000'000;
    device.power_limit_w = 350;
    (void)writer_->device(device);
    (void)writer_->lane(kPid, {.lane = 0, .tid = kPid, .is_main = true});
  }

  const std::string& id() const { return writer_->id(); }

  // A step of the program, with its phases.
  void step(std::int64_t begin_ns, std::int64_t length_ns) {
    const auto at = [&](double share) {
      return begin_ns + static_cast<std::int64_t>(share * static_cast<double>(length_ns));
    };
    std::vector<run::PhaseEvent> events;
    const auto span = [&](run::Phase phase, double from, double to) {
      events.push_back({.t_ns = at(from),
                        .value = 32,
                        .flags = 3,
                        .id = 1,
                        .lane = 0,
                        .phase = phase,
                        .begin = true});
      events.push_back({.t_ns = at(to),
                        .value = 32,
                        .flags = 3,
                        .id = 1,
                        .lane = 0,
                        .phase = phase,
                        .begin = false});
    };
    span(run::Phase::kDataWait, 0.0, 0.3);
    span(run::Phase::kForward, 0.32, 0.5);
    span(run::Phase::kBackward, 0.5, 0.8);
    span(run::Phase::kOptimizer, 0.8, 0.9);
    (void)writer_->phases(kPid, events);
  }

  void values(std::int64_t t_ns, std::int64_t step, int series, std::int64_t steps) {
    for (int s = 0; s < series; ++s) {
      values_.push_back(
          {.t_ns = t_ns, .value = value_of(s, step, steps), .step = step, .name = series_name(s)});
    }
  }

  void sample(std::int64_t t_ns) {
    const double busy = 0.7 + 0.3 * std::sin(static_cast<double>(t_ns - start_) / 3e9);
    const std::vector<run::Sample> samples = {
        {t_ns, busy, run::device_source(0), run::Metric::kDeviceUtilization},
        {t_ns, 200 + 100 * busy, run::device_source(0), run::Metric::kDevicePower},
        {t_ns, 40 + 20 * busy, run::device_source(0), run::Metric::kDeviceTemperature},
        {t_ns, 8e9 + 1e9 * busy, run::device_source(0), run::Metric::kDeviceMemoryUsed},
        {t_ns, 3.0 + busy, run::kHostSource, run::Metric::kHostCpuCoresUsed},
        {t_ns, 1.0 + busy, kPid, run::Metric::kProcessCpuCoresUsed}};
    (void)writer_->samples(samples);
  }

  void flush() {
    if (!values_.empty()) (void)writer_->values(kPid, values_);
    values_.clear();
    (void)writer_->flush();
  }

  void end(std::int64_t t_ns, int exit_code) {
    flush();
    (void)writer_->end({.t_ns = t_ns, .exit_code = exit_code, .signal = 0, .survivors = {}});
    writer_.reset();
  }
  void seal(const std::string& id) {
    if (app::sealing_wanted()) (void)store::seal_run(home_, id, store::viewpoint_here());
  }

 private:
  const store::Home& home_;
  std::unique_ptr<store::RunWriter> writer_;
  std::vector<run::NamedValue> values_;
  std::int64_t start_;
};

void write_values(const store::Home& home, std::int64_t points, int series, std::string name) {
  const base::FakeClock clock;
  const std::int64_t steps = std::max<std::int64_t>(points / series, 1);
  MadeUp run(home, std::move(name), base::SystemClock().wall() - steps * kMs, kStartNs, clock);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t t_ns = kStartNs + step * kMs;
    run.values(t_ns, step, series, steps);
    if (step % 100 == 0) {
      run.step(t_ns, 100 * kMs - 1000);
      run.sample(t_ns);
      run.flush();
    }
  }
  const std::string id = run.id();
  run.end(kStartNs + steps * kMs + kMs, 0);
  run.seal(id);
  std::cout << id << "\n";
}

void write_small(const store::Home& home, int count) {
  const base::FakeClock clock;
  const std::int64_t now = base::SystemClock().wall();
  for (int i = 0; i < count; ++i) {
    MadeUp run(home, "run-" + std::to_string(i), now - (count - i) * 60 * base::kSecond, kStartNs,
               clock);
    const std::string id = run.id();
    const int steps = 5 + i % 7;
    for (int step = 0; step < steps; ++step) {
      run.step(kStartNs + step * 100 * kMs, 100 * kMs - 1000);
      run.values(kStartNs + (step + 1) * 100 * kMs, step, 2, steps);
    }
    run.end(kStartNs + steps * 100 * kMs + kMs, i % 11 == 0 ? 1 : 0);
    (void)store::update_meta(home.folder(id), [&](store::RunMeta& meta) {
      meta.tags = {i % 2 == 0 ? "even" : "odd"};
      if (i % 10 == 0) meta.note = "number " + std::to_string(i);
      meta.outcome = store::RunOutcome{.finding = i % 3 == 0 ? "input_bound" : "healthy",
                                       .cause = "",
                                       .summary = "made up",
                                       .confidence = 0.9,
                                       .steps = steps,
                                       .median_ms = 100.0 + i % 50,
                                       .samples_per_s = 320.0 - i % 50,
                                       .device_busy = 0.5 + 0.001 * (i % 500),
                                       .stopped_after = {}};
    });
    std::cout << id << "\n";
  }
}

void write_live(const store::Home& home, double seconds) {
  const base::SystemClock clock;
  MadeUp run(home, "live", clock.wall(), clock.monotonic(), clock);
  std::cout << run.id() << std::endl;
  const base::TimeNs start = clock.monotonic();
  constexpr std::int64_t kStepNs = 50 * kMs;
  for (std::int64_t step = 0;; ++step) {
    const base::TimeNs begin = clock.monotonic();
    if (static_cast<double>(begin - start) > seconds * 1e9) break;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kStepNs));
    run.step(begin, clock.monotonic() - begin - 1000);
    run.values(clock.monotonic(), step, 2, 1000);
    run.sample(clock.monotonic());
    run.flush();
  }
  run.end(clock.monotonic(), 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  if (argc >= 5 && words[1] == "values") {
    write_values(store::Home::at(argv[2]), std::atoll(argv[3]), std::atoi(argv[4]),
                 argc > 5 ? argv[5] : "long");
    return 0;
  }
  if (argc == 4 && words[1] == "small") {
    write_small(store::Home::at(argv[2]), std::atoi(argv[3]));
    return 0;
  }
  if (argc == 4 && words[1] == "live") {
    write_live(store::Home::at(argv[2]), std::atof(argv[3]));
    return 0;
  }
  std::cerr << "usage: made_up_store values HOME POINTS SERIES [NAME] | small HOME COUNT | live "
               "HOME SECONDS\n";
  return 2;
}
