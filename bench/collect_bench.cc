// What one reading of each source costs on this machine, with a child that has
// touched 100 MiB as the only process of the run.
#include <benchmark/benchmark.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "collect/process_tree.h"
#include "collect/sources.h"

namespace {

namespace base = flatout::base;
namespace collect = flatout::collect;
namespace run = flatout::run;

struct NoSink final : run::SampleSink {
  void add(const run::Sample& sample) override { benchmark::DoNotOptimize(sample.value); }
};

// Lives until it is killed, or until this process ends.
pid_t start_child() {
  int ready[2];
  if (::pipe(ready) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<char> memory(100U << 20, 1);
    benchmark::DoNotOptimize(memory.data());
    (void)!::write(ready[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  (void)!::read(ready[0], &byte, 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

// Each reading is 20 s after the one before, so that every one is due.
void read_source(benchmark::State& state, run::Source& source, collect::ProcessTree& tree,
                 base::TimeNs& now) {
  NoSink sink;
  for (auto _ : state) {
    now += 20 * base::kSecond;
    state.PauseTiming();
    tree.update(now, true);
    state.ResumeTiming();
    benchmark::DoNotOptimize(source.sample(now, sink));
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const pid_t child = start_child();
  if (child < 0) return 1;
  base::TimeNs now = base::SystemClock().monotonic();
  collect::ProcessTree tree({}, {.recorder = ::getpid()});
  tree.update(now, true);
  auto sources = collect::make_sources({}, tree);
  for (const auto& source : sources) {
    benchmark::RegisterBenchmark(
        ("read/" + std::string(source->name())).c_str(),
        [&](benchmark::State& state) { read_source(state, *source, tree, now); });
  }
  benchmark::RegisterBenchmark("follow the processes", [&](benchmark::State& state) {
    for (auto _ : state) {
      now += base::kSecond / 10;
      benchmark::DoNotOptimize(tree.update(now, false));
    }
  });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return 0;
}
