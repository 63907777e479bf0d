#include "app/watch/window.h"

#include <gtest/gtest.h>

#include "app/watch/watched_of.h"

namespace flatout::app {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

run::PhaseEvent event(std::int64_t t_ns, run::Phase phase, bool begin) {
  run::PhaseEvent out;
  out.t_ns = t_ns;
  out.phase = phase;
  out.begin = begin;
  return out;
}

// One update of pid 7 at `t_ns`, with a reading of its CPU.
run::Timeline update(std::int64_t t_ns) {
  run::Timeline more;
  more.info.id = "k7f2";
  more.info.started_ns = kSecond;
  more.last_ns = t_ns;
  run::ProcessTrack& track = more.processes[7];
  track.proc.pid = 7;
  track.phases = {event(t_ns - 1000, run::Phase::kOptimizer, true),
                  event(t_ns, run::Phase::kOptimizer, false)};
  track.values = {{.t_ns = t_ns, .value = 0.5, .step = 3, .name = "loss"}};
  more.series[{run::Metric::kProcessCpuCoresUsed, 7}] = {{t_ns, 0.75}};
  return more;
}

TEST(Window, ForgetsWhatIsOldAndCountsAll) {
  Window window;
  for (int i = 1; i <= 3600; ++i) {
    window.add(update(i * kSecond));
    window.trim(i * kSecond);
    const auto& track = window.timeline().processes.at(7);
    ASSERT_LE(track.phases.size(), 2U * 151U);
    ASSERT_LE(track.values.size(), 151U);
  }
  EXPECT_EQ(window.steps(7), 3600);
  EXPECT_GE(window.timeline().processes.at(7).phases.size(), 2U * 119U);
  EXPECT_GT(window.since_ns(), 3400 * kSecond);
  EXPECT_EQ(window.steps(8), 0);
}

TEST(Window, IsBoundedWhateverComes) {
  Window window;
  run::Timeline more = update(kSecond);
  auto& phases = more.processes[7].phases.own();
  phases.clear();
  for (int i = 0; i < 500'000; ++i) {
    phases.push_back(event(kSecond + i * 100, run::Phase::kForward, i % 2 == 0));
  }
  window.add(std::move(more));
  window.trim(2 * kSecond);
  EXPECT_LE(window.timeline().processes.at(7).phases.size(), Window::kMostRecords * 5 / 4);
}

TEST(Window, KeepsWhatWasStated) {
  Window window;
  run::Timeline first = update(kSecond);
  first.processes[7].proc.command = "python train.py";
  first.processes[7].proc.seen_ns = 1;
  first.devices[0].name = "H100";
  window.add(std::move(first));
  for (int i = 2; i < 400; ++i) {
    window.add(update(i * kSecond));
    window.trim(i * kSecond);
  }
  EXPECT_EQ(window.timeline().processes.at(7).proc.command, "python train.py");
  EXPECT_EQ(window.timeline().devices.at(0).name, "H100");
  EXPECT_EQ(window.timeline().info.id, "k7f2");
}

TEST(Watched, AReadingThatIsOldIsNone) {
  Window window;
  window.add(update(100 * kSecond));
  window.timeline().state = run::RunState::kRunning;
  const run::Watched fresh = watched_of(window.timeline(), 101 * kSecond);
  ASSERT_EQ(fresh.processes.size(), 1U);
  EXPECT_EQ(fresh.processes.front().cpu_cores, 0.75);
  EXPECT_EQ(fresh.values.front().step, 3);
  EXPECT_EQ(fresh.silent_s, 1.0);
  const run::Watched stale = watched_of(window.timeline(), 130 * kSecond);
  EXPECT_FALSE(stale.processes.front().cpu_cores);
  EXPECT_FALSE(stale.machine.own_cpu_cores);
}

TEST(Watched, OfARunThatIsOverHasNoProcesses) {
  Window window;
  window.add(update(100 * kSecond));
  run::Timeline last;
  last.state = run::RunState::kFinished;
  last.end = run::RunEnd{.t_ns = 101 * kSecond, .survivors = {}};
  window.add(std::move(last));
  const run::Watched over = watched_of(window.timeline(), 101 * kSecond);
  EXPECT_TRUE(over.processes.empty());
  EXPECT_EQ(over.state, run::RunState::kFinished);
  EXPECT_DOUBLE_EQ(over.elapsed_s, 100);
}

}  // namespace
}  // namespace flatout::app
