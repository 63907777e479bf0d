// SIGKILL at random moments: whatever a flush had written is read back.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

// Shared between the test and the process that it kills.
struct Progress {
  std::atomic<std::uint32_t> flushed{0};  // ticks whose flush has returned
  char id[32] = {};
};

// Ticks for ever, as fast as it can, 10 events a tick.
[[noreturn]] void write_until_killed(const Home& home, Progress& progress) {
  const base::SystemClock clock;
  auto writer = RunWriter::open(home, clock);
  writer->id().copy(progress.id, sizeof progress.id - 1);
  (void)writer->begin(sample_info(writer->id()));
  for (std::uint32_t i = 0;; ++i) {
    std::vector<run::PhaseEvent> events(10);
    for (auto& event : events) event.id = i;
    (void)writer->phases(7, events);
    (void)writer->samples(sample_tick(static_cast<int>(i % 1000), 20));
    if (writer->flush()) progress.flushed = i + 1;
  }
}

void check_whole(const run::Timeline& timeline, std::uint32_t flushed) {
  const auto found = timeline.processes.find(7);
  const auto events =
      found == timeline.processes.end() ? run::Records<run::PhaseEvent>{} : found->second.phases;
  ASSERT_GE(events.size(), 10 * flushed);
  for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events.at(i).value().id, i / 10);
}

TEST(Kill, FiftyTimesAtRandomMomentsNothingFlushedIsLost) {
  void* shared =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  ScratchFolder scratch;
  const Home home = Home::at(scratch.path());
  const base::SystemClock clock;
  std::mt19937 random(50);
  for (int round = 0; round < 50; ++round) {
    auto* progress = new (shared) Progress;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(home, *progress);
    while (progress->flushed < 1 + random() % 40) std::this_thread::yield();
    for (auto spin = random() % 20'000; spin > 0; --spin) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    auto from = viewpoint_here();
    from.host = sample_info("").host;
    const auto timeline = read_run(home.folder(progress->id), from);
    ASSERT_TRUE(timeline) << timeline.error().message;
    EXPECT_EQ(timeline->state, run::RunState::kLost);
    check_whole(*timeline, progress->flushed);
    ASSERT_TRUE(RunWriter::reopen_lost(home, progress->id, clock));
  }
  ::munmap(shared, sizeof(Progress));
}

// A reader beside a writer: what it sees is always a beginning of the run, with
// all that had been flushed before it looked.
TEST(Concurrency, AReaderSeesAllThatWasFlushedBefore) {
  ScratchFolder scratch;
  const Home home = Home::at(scratch.path());
  const base::SystemClock clock;
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.host = "another, so that it counts as running";
  ASSERT_TRUE(writer->begin(info));
  std::atomic<std::uint32_t> flushed{0};
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    for (std::uint32_t i = 0; !stop && i < 3000; ++i) {
      std::vector<run::PhaseEvent> events(10);
      for (auto& event : events) event.id = i;
      (void)writer->phases(7, events);
      if (writer->flush()) flushed = i + 1;
    }
  });
  for (int i = 0; i < 30; ++i) {
    const std::uint32_t before = flushed;
    const auto timeline = read_run(home.folder(writer->id()), viewpoint_here());
    ASSERT_TRUE(timeline);
    EXPECT_EQ(timeline->state, run::RunState::kRunning);
    EXPECT_TRUE(timeline->notes.empty());
    check_whole(*timeline, before);
  }
  stop = true;
  thread.join();
}

}  // namespace
}  // namespace flatout::store
