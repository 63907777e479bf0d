// What a report and an export take of memory a step, of a sealed run with the series, events and
// batches of a real one. Counted is what the program allocates: no noise, so the bound is near.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "app/explain.h"
#include "app/export_tables.h"
#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/seal.h"
#include "store/store_fixture.h"
#include "store/trace_fixture.h"

#if defined(__has_feature)
#define FLATOUT_HAS_FEATURE(feature) __has_feature(feature)  // clang
#else
#define FLATOUT_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || FLATOUT_HAS_FEATURE(address_sanitizer)
#define FLATOUT_ASAN 1
#include <sanitizer/allocator_interface.h>
#else
#define FLATOUT_ASAN 0
#endif

namespace {

std::atomic<std::ptrdiff_t> live_bytes{0};
std::atomic<std::ptrdiff_t> peak_bytes{0};

void count(std::size_t bytes) {
  const std::ptrdiff_t live = live_bytes += static_cast<std::ptrdiff_t>(bytes);
  std::ptrdiff_t peak = peak_bytes;
  while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
  }
}

void discount(std::size_t bytes) { live_bytes -= static_cast<std::ptrdiff_t>(bytes); }

}  // namespace

#if FLATOUT_ASAN
// AddressSanitizer has an operator new of its own, and says what it is asked for.
namespace {

void allocated(const volatile void* /*begin*/, std::size_t bytes) { count(bytes); }
void freed(const volatile void* begin) {
  if (begin != nullptr) discount(__sanitizer_get_allocated_size(const_cast<const void*>(begin)));
}

const int installed = __sanitizer_install_malloc_and_free_hooks(allocated, freed);

}  // namespace
#else
void* operator new(std::size_t bytes) {
  void* begin = std::malloc(bytes);  // NOLINT(cppcoreguidelines-no-malloc)
  if (begin == nullptr) throw std::bad_alloc();
  count(::malloc_usable_size(begin));
  return begin;
}

void operator delete(void* begin) noexcept {
  if (begin == nullptr) return;
  discount(::malloc_usable_size(begin));
  std::free(begin);  // NOLINT(cppcoreguidelines-no-malloc)
}

void operator delete(void* begin, std::size_t) noexcept { operator delete(begin); }
#endif

namespace flatout::app {
namespace {

constexpr std::int64_t kStepNs = 100'000'000;
constexpr pid_t kMain = 100;
constexpr pid_t kWorkers = 1;

// One step of the main process, from its draw to its update, and the batch for it.
class MadeUpLoop {
 public:
  explicit MadeUpLoop(store::RunWriter& writer) : writer_(writer) {}

  void begin(run::RunInfo info) {
    info.started_ns = kStepNs;
    EXPECT_TRUE(writer_.begin(info));
    for (pid_t pid = kMain; pid <= kMain + kWorkers; ++pid) {
      const bool main = pid == kMain;
      EXPECT_TRUE(writer_.proc({.pid = pid,
                                .seen_ns = kStepNs,
                                .role = main ? run::ProcRole::kMain : run::ProcRole::kWorker,
                                .worker_id = pid - kMain - 1,
                                .command = "python"}));
    }
    EXPECT_TRUE(writer_.lane(kMain, {.lane = 0, .tid = kMain, .is_main = true}));
    fact("environment", R"({"torch":"2.9.0","device":"cpu"})");
    fact("loader", R"({"loader":1,"workers":1,"batch_size":32,"prefetch_factor":2})");
    fact("iterator", R"({"iterator":1,"loader":1,"worker_pids":[101]})");
  }

  void step(int number) {
    const std::int64_t begin = (number + 10) * kStepNs;
    const std::int64_t jitter = (number * 7919LL) % 10'000'000;
    std::vector<run::PhaseEvent> events;
    const auto span = [&](run::Phase phase, std::int64_t from, std::int64_t to, std::uint32_t id) {
      const std::uint32_t flags = run::kGradEnabled | run::kTrainingMode;
      events.push_back({begin + from, 0, flags, id, 0, phase, true});
      events.push_back({begin + to, 32, flags, id, 0, phase, false});
    };
    span(run::Phase::kDataWait, 0, 30'000'000 + jitter, 1);
    span(run::Phase::kForward, 41'000'000, 60'000'000, 0);
    span(run::Phase::kBackward, 60'000'000, 90'000'000, 0);
    span(run::Phase::kOptimizer, 90'000'000, 95'000'000, 0);
    EXPECT_TRUE(writer_.phases(kMain, events));
    const std::vector<run::Batch> batch = {{.begin_ns = begin - 3 * kStepNs,
                                            .end_ns = begin + 20'000'000 + jitter,
                                            .cpu_ns = 300'000'000,
                                            .collate_ns = 1'000'000,
                                            .sequence = static_cast<std::uint32_t>(number),
                                            .samples = 32,
                                            .stages = {{"JPEG decode", 32, 200'000'000}}}};
    EXPECT_TRUE(writer_.batches(kMain + 1, batch));
    samples(begin + kStepNs, number);
  }

  void end(int steps) {
    run::RunEnd end;
    end.t_ns = (steps + 12) * kStepNs;
    EXPECT_TRUE(writer_.end(end));
  }

 private:
  void fact(std::string key, std::string json) {
    EXPECT_TRUE(writer_.fact(kMain, {kStepNs, std::move(key), std::move(json)}));
  }
  // About what a tick of a machine with a GPU has.
  void samples(std::int64_t t_ns, int number) {
    std::vector<run::Sample> tick;
    int of_kind[2] = {0, 0};
    for (const run::MetricInfo& info : run::all_metrics()) {
      const bool host = info.name.starts_with("host.") || info.name.starts_with("cgroup.");
      const bool process = info.name.starts_with("process.");
      const double value = std::fmod(number * 0.37, 1.0);
      if (host && of_kind[0]++ < 20) tick.push_back({t_ns, value, run::kHostSource, info.metric});
      if (process && of_kind[1]++ < 8) {
        for (pid_t pid = kMain; pid <= kMain + kWorkers; ++pid) {
          tick.push_back({t_ns, value, pid, info.metric});
        }
      }
    }
    EXPECT_TRUE(writer_.samples(tick));
    EXPECT_TRUE(writer_.flush());
  }
  store::RunWriter& writer_;
};

std::filesystem::path sealed_run(const store::Home& home, int steps) {
  const base::FakeClock clock;
  auto writer = store::RunWriter::open(home, clock);
  auto info = store::sample_info(writer->id());
  info.host = store::viewpoint_here().host;
  info.memory_limit_bytes = 0;
  MadeUpLoop loop(*writer);
  loop.begin(info);
  for (int i = 0; i < steps; ++i) loop.step(i);
  loop.end(steps);
  const std::string id = writer->id();
  writer.reset();
  const auto sealed = store::seal_run(home, id, store::viewpoint_here());
  EXPECT_TRUE(sealed) << sealed.error().message;
  return home.folder(id);
}

// The most that was allocated at one time while `work` ran, over what was before.
template <typename Work>
double peak_of(const Work& work) {
  const std::ptrdiff_t before = live_bytes;
  peak_bytes = before;
  work();
  return static_cast<double>(peak_bytes - before);
}

// A step's events alone take 256 bytes. What AddressSanitizer sees has SQLite's cache, which is
// bounded, but is not yet full here.
constexpr double kHeldReading = FLATOUT_ASAN ? 60 : 20;

// More than a block of events or readings, or a piece of a table has, so that what is held of one
// is no difference.
constexpr int kFew = 12'000;
constexpr int kMany = 30'000;

class ExplainMemory : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new store::ScratchFolder;
    const store::Home home = store::Home::at(scratch_->path());
    few_ = sealed_run(home, kFew);
    many_ = sealed_run(home, kMany);
  }
  static void TearDownTestSuite() { delete scratch_; }

  // Bytes a step by which the peak grows.
  template <typename Work>
  static double bytes_a_step(const Work& work) {
    const auto peak = [&work](const std::filesystem::path& folder) {
      return peak_of([&] {
        const auto timeline = store::read_run(folder, store::viewpoint_here());
        ASSERT_TRUE(timeline) << timeline.error().message;
        work(*timeline);
      });
    };
    return (peak(many_) - peak(few_)) / (kMany - kFew);
  }

  static inline store::ScratchFolder* scratch_ = nullptr;
  static inline std::filesystem::path few_, many_;
};

TEST_F(ExplainMemory, ReadingHoldsNothingOfAStep) {
  EXPECT_LT(bytes_a_step([](const run::Timeline& timeline) {
              EXPECT_GE(timeline.processes.at(kMain).phases.size(), 8U * kFew);
            }),
            kHeldReading);
}

TEST_F(ExplainMemory, AReportTakesAFewHundredBytesAStep) {
  // In vectors, the 36 readings of a step alone were 576, and its events as much.
  EXPECT_LT(bytes_a_step([](const run::Timeline& timeline) {
              const auto [report, charts] = explain_with_charts(timeline);
              ASSERT_TRUE(report.steps && report.loader);
              EXPECT_GE(report.steps->count, kFew - 1);
              EXPECT_TRUE(report.loader->sample_ms) << "its workers' batches were not seen";
              EXPECT_TRUE(charts.close_up);
            }),
            500);
}

TEST_F(ExplainMemory, AnExportHoldsPiecesAlone) {
  for (const std::string_view table : kTables) {
    std::size_t written = 0;
    const double bytes = bytes_a_step([&](const run::Timeline& timeline) {
      EXPECT_TRUE(write_table(table, timeline, [&](std::string_view piece) {
        written += piece.size();
        return base::Result<void>{};
      }));
    });
    // A piece more or less at the peak makes 60; a batch alone, held, would make 160.
    EXPECT_LT(bytes, table == "steps" ? 150 : 100) << table;
    EXPECT_GT(written, table == "values" ? 10U : 1'000'000U) << table;
  }
}

// A run of so many windows of tracing, each of kKernels launches.
constexpr int kKernels = 20'000;

std::string traced_run(const store::Home& home, int windows) {
  const base::FakeClock clock;
  auto writer = store::RunWriter::open(home, clock);
  auto info = store::sample_info(writer->id());
  info.host = store::viewpoint_here().host;
  EXPECT_TRUE(writer->begin(info));
  EXPECT_TRUE(writer->proc({.pid = kMain, .command = "python"}));
  for (int i = 0; i < windows; ++i) {
    const auto trace = store::sample_trace(kKernels, 6'000'000'000 + i * 30'000'000'000LL);
    if (i == 0) {
      EXPECT_TRUE(writer->trace_names(kMain, trace.names));
    }
    EXPECT_TRUE(writer->activities(kMain, trace.activities));
    EXPECT_TRUE(writer->host_spans(kMain, trace.spans));
    EXPECT_TRUE(writer->trace_windows(kMain, trace.windows));
    EXPECT_TRUE(writer->flush());
  }
  run::RunEnd end;
  end.t_ns = 6'000'000'000 + windows * 30'000'000'000LL;
  EXPECT_TRUE(writer->end(end));
  return writer->id();
}

// Of a kernel trace in windows that of one window is held: a day of them is gigabytes.
TEST(TracedMemory, AReportHoldsAWindowAtATime) {
  const store::ScratchFolder scratch;
  const store::Home home = store::Home::at(scratch.path());
  constexpr int kFewWindows = 5;
  constexpr int kManyWindows = 25;
  const std::string few = traced_run(home, kFewWindows);
  const std::string many = traced_run(home, kManyWindows);
  const auto peak = [&home](const std::string& id) {
    return peak_of([&] {
      const auto timeline = store::read_run(home.folder(id), store::viewpoint_here());
      ASSERT_TRUE(timeline) << timeline.error().message;
      const run::Report report = explain(*timeline);
      ASSERT_TRUE(report.tracing && !report.devices.empty());
      EXPECT_GE(report.devices.front().trace->kernels.count, kFewWindows * kKernels / 2);
    });
  };
  const auto bytes_a_record = [&] {
    return (peak(many) - peak(few)) / (2.0 * kKernels * (kManyWindows - kFewWindows));
  };
  // In vectors a record takes 40 bytes and more; what the allocator keeps of a window is in it.
  EXPECT_LT(bytes_a_record(), 4) << "from the log";
  for (const std::string& id : {few, many}) {
    ASSERT_TRUE(store::seal_run(home, id, store::viewpoint_here()));
  }
  EXPECT_LT(bytes_a_record(), 4) << "sealed";
}

}  // namespace
}  // namespace flatout::app
