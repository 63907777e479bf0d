// What a call of flatout.h costs the program: recorded, from one thread and
// from several that share the ring, and where nothing records. The ring is
// emptied before it is full, as a recorder does.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "flatout/flatout.h"
#include "wire/ring.h"

namespace {

using flatout::wire::RingHeader;

RingHeader* ring = nullptr;  // of this process, mapped once more

RingHeader* map_ring(const std::filesystem::path& folder) {
  const auto file = std::filesystem::directory_iterator(folder)->path();
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  void* map =
      ::mmap(nullptr, flatout::wire::kRingHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  return static_cast<RingHeader*>(map);
}

// Any thread may: what is skipped is never read.
void empty_now_and_then(int& calls) {
  if (++calls % 1000 != 0) return;
  ring->tail.store(ring->head.load(std::memory_order_acquire), std::memory_order_release);
}

void phase_span(benchmark::State& state) {
  const auto dropped = ring->dropped.load();
  int calls = 0;
  for (auto _ : state) {
    flatout_phase_begin(FLATOUT_FORWARD);
    flatout_phase_end(FLATOUT_FORWARD);
    empty_now_and_then(calls);
  }
  state.SetItemsProcessed(state.iterations() * 2);
  state.counters["dropped"] = static_cast<double>(ring->dropped.load() - dropped);
}
BENCHMARK(phase_span)->Threads(1)->Threads(2)->Threads(4);

void step_end(benchmark::State& state) {
  int calls = 0;
  for (auto _ : state) {
    flatout_step_end(32);
    empty_now_and_then(calls);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(step_end);

void log_value(benchmark::State& state) {
  int calls = 0;
  for (auto _ : state) {
    flatout_log("loss", 0.5, calls);
    empty_now_and_then(calls);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(log_value);

using Call = int (*)(int);
struct Off {
  Call begin = nullptr, end = nullptr;
};

// A second copy of the library, loaded where no recorder is named; once, since
// a process has room for a dozen such copies.
Off load_off() {
  ::unsetenv("FLATOUT_RING_DIR");
  void* library = ::dlmopen(LM_ID_NEWLM, "libflatout.so.0", RTLD_NOW);
  if (library == nullptr) return {};
  return {reinterpret_cast<Call>(::dlsym(library, "flatout_phase_begin")),
          reinterpret_cast<Call>(::dlsym(library, "flatout_phase_end"))};
}

void phase_span_off(benchmark::State& state) {
  static const Off off = load_off();
  const auto [begin, end] = off;
  if (begin == nullptr || end == nullptr || begin(FLATOUT_FORWARD) != FLATOUT_OFF) {
    state.SkipWithError("cannot load a copy that is off");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(begin(FLATOUT_FORWARD));
    benchmark::DoNotOptimize(end(FLATOUT_FORWARD));
  }
  state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(phase_span_off);

}  // namespace

// The library reads its environment when it is loaded: so this starts itself again.
int main(int argc, char** argv) {
  const char* folder = std::getenv("FLATOUT_RING_DIR");
  if (folder == nullptr) {
    std::string made = (std::filesystem::temp_directory_path() / "flatout_bench_XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) return 1;
    ::setenv("FLATOUT_RING_DIR", made.c_str(), 1);
    ::execv("/proc/self/exe", argv);
    return 1;
  }
  const std::filesystem::path made = folder;
  benchmark::Initialize(&argc, argv);
  if (flatout_active() == 0) return 1;  // it has said why
  ring = map_ring(made);
  if (ring == MAP_FAILED) return 1;
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(made);
  return 0;
}
