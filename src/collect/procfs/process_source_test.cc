#include "collect/procfs/process_source.h"

#include <gtest/gtest.h>

#include <random>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
constexpr base::TimeNs kProcessStart = 100 * base::kSecond;

class ProcessSourceTest : public ::testing::Test {
 protected:
  // Before the tree, which looks at once what this kernel has.
  bool prepare() {
    host.write("/proc/10/stat", StatLine{.pid = 10}.text());
    host.write("/proc/10/task/10/children", "11 ");
    stat({.pid = 11, .parent = 10, .user = 500, .system = 100, .threads = 4, .rss_pages = 300});
    io(1'000'000, 4096);
    host.write("/proc/11/schedstat", "700000000 100000000 55\n");
    return true;
  }
  void stat(const StatLine& line) { host.write("/proc/11/stat", line.text()); }
  void io(unsigned long rchar, unsigned long read_bytes) {
    host.write("/proc/11/io",
               "rchar: " + std::to_string(rchar) + "\nwchar: 5\nsyscr: 6\nsyscw: 7\nread_bytes: " +
                   std::to_string(read_bytes) + "\nwrite_bytes: 8\ncancelled_write_bytes: 0\n");
  }
  Samples sample(base::TimeNs now) {
    Samples out;
    tree.update(now, true);
    EXPECT_TRUE(source.sample(now, out));
    return out;
  }
  FakeHost host;
  const bool prepared = prepare();
  ProcessTree tree{host.paths(), {.recorder = 10, .cpu = [] { return 0; }}};
  ProcessSource source{host.paths(), tree, {.ticks_per_s = 100, .page_bytes = 4096, .cpus = 64}};
};

TEST_F(ProcessSourceTest, TheFirstReadGivesLevelsOnly) {
  host.write("/proc/10/task/10/children", "");
  EXPECT_TRUE(sample(kProcessStart).all.empty());
  host.write("/proc/10/task/10/children", "11 ");
  const auto first = sample(kProcessStart + 1);
  EXPECT_EQ(first.all.size(), 3U);
  EXPECT_EQ(first.value(Metric::kProcessMemoryRss, 11), 300.0 * 4096);
  EXPECT_EQ(first.value(Metric::kProcessThreads, 11), 4);
  EXPECT_EQ(first.value(Metric::kProcessIoDiskWait, 11), 0);
}

// What flatout waited for a core between the time of the look and the read belongs to the next one.
TEST_F(ProcessSourceTest, ALookThatIsLateIsLeftToTheNext) {
  base::FakeClock clock;
  clock.advance(kProcessStart);
  ProcessTree late(host.paths(), {.recorder = 10, .cpu = [] { return 0; }, .clock = &clock});
  ProcessSource of_late{host.paths(), late, {.ticks_per_s = 100, .page_bytes = 4096, .cpus = 64}};
  const auto cores = [&](unsigned long user, base::DurationNs by) {
    stat({.pid = 11, .parent = 10, .user = user});
    clock.advance(base::kSecond / 10);
    Samples out;
    late.update(clock.monotonic() - by, true);
    EXPECT_TRUE(of_late.sample(clock.monotonic() - by, out));
    return out.value(Metric::kProcessCpuCoresUsed, 11);
  };
  EXPECT_EQ(cores(500, 0), -1);
  EXPECT_EQ(cores(505, 90 * base::kMillisecond), -1) << "at its end, booked at its begin";
  EXPECT_DOUBLE_EQ(cores(510, 0), 10 / 100.0 / 0.2);
}

TEST_F(ProcessSourceTest, NoProcessUsesMoreCoresThanThereAre) {
  ProcessSource two{host.paths(), tree, {.ticks_per_s = 100, .page_bytes = 4096, .cpus = 2}};
  Samples out;
  tree.update(kProcessStart, true);
  EXPECT_TRUE(two.sample(kProcessStart, out));
  stat({.pid = 11, .parent = 10, .user = 589, .system = 100});
  tree.update(kProcessStart + base::kSecond / 10, true);
  EXPECT_TRUE(two.sample(kProcessStart + base::kSecond / 10, out));
  EXPECT_EQ(out.value(Metric::kProcessCpuCoresUsed, 11), 2);
}

TEST_F(ProcessSourceTest, RatesAreOfTheTimeBetweenTwoReads) {
  sample(kProcessStart);
  stat({.pid = 11,
        .state = 'D',
        .parent = 10,
        .user = 520,
        .system = 110,
        .threads = 5,
        .rss_pages = 301,
        .major_faults = 79});
  io(3'000'000, 12'288);
  host.write("/proc/11/schedstat", "800000000 125000000 60\n");
  const auto second = sample(kProcessStart + base::kSecond / 10);
  EXPECT_EQ(second.all.size(), 8U);
  EXPECT_DOUBLE_EQ(second.value(Metric::kProcessMajorFaults, 11), 3 / 0.1);
  EXPECT_DOUBLE_EQ(second.value(Metric::kProcessCpuCoresUsed, 11), 30 / 100.0 / 0.1);
  EXPECT_DOUBLE_EQ(second.value(Metric::kProcessIoRead, 11), 2e6 / 0.1);
  EXPECT_DOUBLE_EQ(second.value(Metric::kProcessIoDiskRead, 11), 8192 / 0.1);
  EXPECT_DOUBLE_EQ(second.value(Metric::kProcessCpuRunDelay, 11), 0.25);
  EXPECT_EQ(second.value(Metric::kProcessIoDiskWait, 11), 1);
}

TEST_F(ProcessSourceTest, WhatTheKernelDoesNotTellIsAbsent) {
  host.remove("/proc/11/io");
  host.write("/proc/11/schedstat", "0 0 0\n");
  sample(kProcessStart);
  const auto second = sample(kProcessStart + base::kSecond);
  EXPECT_FALSE(second.has(Metric::kProcessIoRead, 11));
  EXPECT_FALSE(second.has(Metric::kProcessIoDiskRead, 11));
  EXPECT_FALSE(second.has(Metric::kProcessCpuRunDelay, 11));
  EXPECT_EQ(second.value(Metric::kProcessCpuCoresUsed, 11), 0);  // read twice: a true zero
}

TEST_F(ProcessSourceTest, AReusedPidStartsItsRatesAnew) {
  sample(kProcessStart);
  stat({.pid = 11, .parent = 10, .user = 9000, .start = 777});
  const auto second = sample(kProcessStart + base::kSecond);
  EXPECT_FALSE(second.has(Metric::kProcessCpuCoresUsed, 11));
  EXPECT_FALSE(second.has(Metric::kProcessIoRead, 11));
}

TEST_F(ProcessSourceTest, AVanishedProcessSaysNothing) {
  sample(kProcessStart);
  host.remove("/proc/11");
  EXPECT_TRUE(sample(kProcessStart + base::kSecond).all.empty());
}

TEST_F(ProcessSourceTest, ALookThatTheTreeSkippedDoesNotRepeatItsFigures) {
  sample(kProcessStart);
  Samples out;
  EXPECT_TRUE(source.sample(kProcessStart + base::kSecond, out));
  EXPECT_FALSE(out.has(Metric::kProcessThreads, 11));
  EXPECT_TRUE(out.has(Metric::kProcessIoRead, 11));
}

TEST(ProcIo, CutOrRandomTextNeverGivesHalfANumber) {
  const std::string text = "rchar: 123456\nwchar: 2\nread_bytes: 789\n";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto io = parse_proc_io(text.substr(0, size));
    EXPECT_TRUE(!io.read_bytes || *io.read_bytes == 123456);
    EXPECT_FALSE(io.disk_bytes);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string noise = text;
    for (int i = 0; i < 5; ++i) noise[random() % noise.size()] = static_cast<char>(random());
    parse_proc_io(noise);
    parse_run_delay_ns(noise);
    parse_proc_stat(noise);
  }
}

TEST(RunDelay, ACutLineIsAbsent) {
  EXPECT_EQ(parse_run_delay_ns("5 17 2\n"), 17U);
  EXPECT_EQ(parse_run_delay_ns("5 17"), std::nullopt);
  EXPECT_EQ(parse_run_delay_ns(""), std::nullopt);
}

}  // namespace
}  // namespace flatout::collect
