// The parts of the agent that need no CUPTI.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "inject/cupti/buffer_pool.h"
#include "inject/cupti/calls.h"
#include "inject/cupti/host_clock.h"
#include "inject/cupti/name_table.h"
#include "inject/cupti/settings.h"
#include "inject/cupti/window_schedule.h"

namespace flatout::inject::cupti {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(WindowSchedule, PausesDoubleUpToALongestOne) {
  auto schedule = WindowSchedule::windows(100 * kSecond, 2 * kSecond, kSecond / 2);
  std::vector<std::int64_t> begins;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t now = schedule.begins_ns();
    begins.push_back((now - 100 * kSecond) / (kSecond / 10));
    EXPECT_EQ(schedule.began(now), now + kSecond / 2);
    schedule.ended(now + kSecond / 2, 0);
  }
  // In tenths of a second: 2 s, then each 0.5 s and a pause of 2, 4, 8, 16, 30, 30, 30 s later.
  EXPECT_EQ(begins, (std::vector<std::int64_t>{20, 45, 90, 175, 340, 645, 950, 1255}));
}

TEST(WindowSchedule, LateBeginsMoveWhatFollows) {
  auto schedule = WindowSchedule::windows(0, kSecond, kSecond);
  EXPECT_EQ(schedule.began(5 * kSecond), 6 * kSecond);
  schedule.ended(9 * kSecond, 0);
  EXPECT_EQ(schedule.begins_ns(), 11 * kSecond);
}

TEST(WindowSchedule, BeginsAnewWhereStepsBegin) {
  auto schedule = WindowSchedule::windows(0, 2 * kSecond, kSecond / 2);
  schedule.ended(3 * kSecond, 0);
  schedule.ended(9 * kSecond, 0);
  schedule.restart(10 * kSecond);
  EXPECT_EQ(schedule.begins_ns(), 10 * kSecond);
  schedule.ended(11 * kSecond, 0);
  EXPECT_EQ(schedule.begins_ns(), 13 * kSecond);
}

// A loop that launches each 8 us: a launch has three records.
TEST(WindowSchedule, ManyRecordsMakeThePausesLonger) {
  constexpr std::int64_t kWindow = kSecond / 2;
  constexpr std::uint64_t kRecords = 3 * kWindow / 8000;
  auto schedule = WindowSchedule::windows(0, 0, kWindow);
  std::int64_t now = 0;
  std::int64_t cost_ns = 0;
  for (int i = 0; i < 20; ++i) {
    now += kWindow;
    schedule.ended(now, kRecords);
    cost_ns += static_cast<std::int64_t>(kRecords) * WindowSchedule::kRecordNs;
    now = schedule.begins_ns();
    EXPECT_LT(static_cast<double>(cost_ns), 0.0031 * static_cast<double>(now)) << i;
  }
}

TEST(WindowSchedule, FewRecordsLeaveThePausesAsTheyAre) {
  auto schedule = WindowSchedule::windows(0, 0, kSecond);
  schedule.ended(kSecond, 10'000);
  EXPECT_EQ(schedule.begins_ns(), 3 * kSecond);
}

TEST(WindowSchedule, NoNumberOfRecordsOverflows) {
  auto schedule = WindowSchedule::windows(0, 0, kSecond);
  schedule.ended(kSecond, UINT64_MAX);
  EXPECT_GT(schedule.begins_ns(), WindowSchedule::kNever / 4);
}

TEST(WindowSchedule, AlwaysHasOneThatDoesNotEnd) {
  auto schedule = WindowSchedule::always(7);
  EXPECT_EQ(schedule.begins_ns(), 7);
  EXPECT_EQ(schedule.began(8), WindowSchedule::kNever);
  schedule.ended(9, 0);
  EXPECT_EQ(schedule.begins_ns(), WindowSchedule::kNever);
}

struct Drained {
  std::vector<std::pair<std::uint8_t*, std::size_t>> buffers;
  void operator()(std::uint8_t* at, std::size_t valid) { buffers.emplace_back(at, valid); }
};

TEST(BufferPool, LendsUpToItsBoundAndDrainsInOrderOfReturn) {
  static BufferPool pool;  // whose memory is never freed
  pool.configure(4096, 3);
  std::uint8_t* a = pool.lend();
  std::uint8_t* b = pool.lend();
  std::uint8_t* c = pool.lend();
  ASSERT_TRUE(a != nullptr && b != nullptr && c != nullptr);
  EXPECT_EQ(pool.lend(), nullptr);
  EXPECT_EQ(pool.lent(), 3U);
  EXPECT_TRUE(pool.give_back(c, 10));
  EXPECT_TRUE(pool.give_back(a, 20));
  EXPECT_EQ(pool.lend(), nullptr) << "what waits is not free";
  Drained drained;
  pool.drain(drained);
  EXPECT_EQ(drained.buffers,
            (std::vector<std::pair<std::uint8_t*, std::size_t>>{{c, 10}, {a, 20}}));
  EXPECT_EQ(pool.lent(), 1U);
  EXPECT_EQ(pool.lend(), a) << "the first free one";
}

TEST(BufferPool, TakesBackOnlyWhatItLent) {
  static BufferPool pool;  // whose memory is never freed
  pool.configure(4096, 2);
  std::uint8_t other[8];
  EXPECT_FALSE(pool.give_back(other, 8));
  EXPECT_FALSE(pool.give_back(nullptr, 8));
  std::uint8_t* a = pool.lend();
  EXPECT_TRUE(pool.give_back(a, 0)) << "an empty one is free at once";
  EXPECT_FALSE(pool.give_back(a, 8)) << "twice";
  EXPECT_EQ(pool.waiting(), 0U);
  a = pool.lend();
  EXPECT_TRUE(pool.give_back(a, 1 << 20));
  Drained drained;
  pool.drain(drained);
  EXPECT_EQ(drained.buffers.at(0).second, 4096U) << "more than there is";
}

TEST(BufferPool, ThreadsGetDifferentBuffers) {
  static BufferPool pool;  // whose memory is never freed
  pool.configure(4096, 8);
  std::vector<std::thread> threads;
  std::atomic<int> clashes = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        std::uint8_t* mine = pool.lend();
        if (mine == nullptr) continue;
        mine[0] = static_cast<std::uint8_t>(t);
        std::this_thread::yield();
        if (mine[0] != t) ++clashes;
        pool.give_back(mine, i % 2 ? 0 : 8);
      }
    });
  }
  std::size_t drained = 0;
  for (int i = 0; i < 1000; ++i) {
    pool.drain([&](std::uint8_t*, std::size_t) { ++drained; });
    pool.release_pages();
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(pool.lent(), 0U);
}

TEST(Calls, ThoseThatLaunchCopyWaitOrAllocateAreWanted) {
  for (const char* name :
       {"cudaLaunchKernel_v7000", "__cudaLaunchKernel_v13000", "cudaLaunchKernelExC_ptsz_v11060",
        "cuLaunchKernel", "cuLaunchKernelEx_ptsz", "cudaGraphLaunch_v10000", "cuGraphLaunch",
        "cudaMemcpyAsync_v3020", "cuMemcpyHtoDAsync_v2", "cudaMemsetAsync_v3020",
        "cuMemsetD8Async"}) {
    EXPECT_TRUE(worth_of_call(name).wanted) << name;
    EXPECT_TRUE(worth_of_call(name).launches) << name;
  }
  for (const char* name :
       {"cudaStreamSynchronize_v3020", "cudaDeviceSynchronize_v3020", "cudaEventSynchronize_v3020",
        "cuCtxSynchronize", "cudaMalloc_v3020", "cudaFree_v3020", "cudaHostAlloc_v3020",
        "cuMemAlloc_v2", "cudaGraphInstantiate_v12000", "cuModuleLoadData"}) {
    EXPECT_TRUE(worth_of_call(name).wanted) << name;
    EXPECT_FALSE(worth_of_call(name).launches) << name;
  }
  for (const char* name :
       {"cudaGetDevice_v3020", "cudaPeekAtLastError_v3020", "cudaStreamIsCapturing_v10000",
        "cudaEventRecord_v3020", "cudaEventQuery_v3020", "cuCtxGetCurrent", "", "INVALID", "_"}) {
    EXPECT_FALSE(worth_of_call(name).wanted) << name;
  }
}

TEST(Calls, VersionsAreNoPartOfAName) {
  const auto bare = [](const std::string& name) {
    return name.substr(0, bare_length(name.c_str()));
  };
  EXPECT_EQ(bare("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(bare("cuMemcpyHtoDAsync_v2"), "cuMemcpyHtoDAsync");
  EXPECT_EQ(bare("cuMemcpyHtoDAsync_v2_ptsz"), "cuMemcpyHtoDAsync_v2_ptsz");
  EXPECT_EQ(bare("cuMemsetD8"), "cuMemsetD8");
  EXPECT_EQ(bare("_v1"), "_v1");
  EXPECT_EQ(bare(""), "");
}

TEST(HostClock, ALineGoesThroughTwoMoments) {
  const ClockPair first{.cupti = 5'000'000'000, .monotonic_ns = 100};
  const ClockPair later{.cupti = 15'000'000'000, .monotonic_ns = 100 + 10'000'100'000};
  EXPECT_EQ(HostClock::on_line(first, later, 5'000'000'000), 100);
  EXPECT_EQ(HostClock::on_line(first, later, 10'000'000'000), 100 + 5'000'050'000);
  EXPECT_EQ(HostClock::on_line(first, later, 15'000'000'000), 100 + 10'000'100'000);
  EXPECT_EQ(HostClock::on_line(first, later, 4'000'000'000), 100 - 1'000'010'000);
  EXPECT_EQ(HostClock::on_line(first, first, 5'000'000'007), 107) << "no line yet";
}

TEST(NameTable, GivesATextOneNumber) {
  NameTable table;
  table.number_from(40);
  std::string text = "kernel";
  const std::string same = "kernel";
  NameTable::Entry* first = table.find(text.c_str());
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->id, 40U);
  EXPECT_EQ(table.find(text.c_str()), first) << "the same pointer";
  EXPECT_EQ(table.find(same.c_str()), first) << "another pointer";
  text[0] = 'K';
  EXPECT_EQ(table.find(text.c_str())->id, 41U) << "the pointer has another text now";
  EXPECT_EQ(table.find("kernel more", 6), first);
  EXPECT_EQ(table.find(nullptr), nullptr);
}

TEST(NameTable, CutsWhatIsLongAndEndsWhereItIsFull) {
  NameTable table;
  const std::string text(20'000, 'x');
  EXPECT_EQ(table.find(text.c_str())->bytes, NameTable::kLongestBytes);
  std::uint32_t taken = 1;
  std::set<std::uint32_t> ids;
  for (; taken < NameTable::kMostNames + 10; ++taken) {
    const NameTable::Entry* one = table.find(std::to_string(taken).c_str());
    if (one == nullptr) break;
    ids.insert(one->id);
  }
  EXPECT_EQ(taken, NameTable::kMostNames);
  EXPECT_EQ(ids.size(), NameTable::kMostNames - 1);
  EXPECT_NE(table.find("17"), nullptr) << "what was there stays";
}

struct Variable {
  Variable(const char* variable, const char* value) : name(variable) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name); }
  const char* name;
};

TEST(Settings, AreOffUnlessTheyAreAskedFor) {
  EXPECT_EQ(settings_of_environment().mode, Settings::Mode::kOff);
  const Variable other("FLATOUT_TRACE", "all");
  EXPECT_EQ(settings_of_environment().mode, Settings::Mode::kOff);
}

TEST(Settings, ValuesOutOfBoundsCountAsNotSaid) {
  const Variable mode("FLATOUT_TRACE", "windows");
  const Variable delay("FLATOUT_TRACE_DELAY_MS", "250");
  const Variable window("FLATOUT_TRACE_WINDOW_MS", "-5");
  const Variable bytes("FLATOUT_TRACE_BUFFER_BYTES", "5001");
  const Variable count("FLATOUT_TRACE_BUFFERS", "2x");
  const Settings settings = settings_of_environment();
  EXPECT_EQ(settings.mode, Settings::Mode::kWindows);
  EXPECT_EQ(settings.delay_ns, kSecond / 4);
  EXPECT_EQ(settings.window_ns, kSecond / 2);
  EXPECT_EQ(settings.buffer_bytes, 5000U);
  EXPECT_EQ(settings.buffers, 64U);
}

}  // namespace
}  // namespace flatout::inject::cupti
