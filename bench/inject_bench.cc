// What an event costs the observed program, from C: two of them are a span.
// The ring is a real one; it is emptied before it is full, as a recorder does.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "inject/emit.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

std::filesystem::path ring_folder() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("flatout_bench_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  return folder;
}

void empty(wire::RingHeader* ring) {
  ring->tail.store(ring->head.load(std::memory_order_relaxed), std::memory_order_release);
}

// state.range(0) spans are open around the one that is measured.
void phase_span(benchmark::State& state) {
  const auto depth = static_cast<int>(state.range(0));
  for (int i = 0; i < depth; ++i) inject::begin_phase(run::Phase::kOther, 0, 0, 0);
  wire::RingHeader* const ring = inject::ring()->header();
  int until_full = 0;
  for (auto _ : state) {
    inject::begin_phase(run::Phase::kForward, 0, 0, 0);
    inject::end_phase(run::Phase::kForward, 0, 0, 0);
    if (++until_full == 1000) {
      empty(ring);
      until_full = 0;
    }
  }
  state.SetItemsProcessed(state.iterations() * 2);
  state.counters["dropped"] = static_cast<double>(ring->dropped.load());
  inject::close_stale_phases();
  empty(ring);
}
BENCHMARK(phase_span)->Arg(0)->Arg(4);

// Nobody reads: the newest record is dropped and counted.
void phase_span_into_a_full_ring(benchmark::State& state) {
  wire::RingHeader* const ring = inject::ring()->header();
  const auto before = ring->dropped.load();
  while (ring->dropped.load() == before) {
    inject::begin_phase(run::Phase::kOther, 0, 0, 0);
    inject::end_phase(run::Phase::kOther, 0, 0, 0);
  }
  for (auto _ : state) {
    inject::begin_phase(run::Phase::kForward, 0, 0, 0);
    inject::end_phase(run::Phase::kForward, 0, 0, 0);
  }
  state.SetItemsProcessed(state.iterations() * 2);
  inject::close_stale_phases();
  empty(ring);
}
BENCHMARK(phase_span_into_a_full_ring);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto folder = ring_folder();
  inject::configure(folder.c_str(), false, {});
  if (inject::ring() == nullptr) return 1;  // it has said why
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(folder);
  return 0;
}
