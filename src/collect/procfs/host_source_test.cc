#include "collect/procfs/host_source.h"

#include <gtest/gtest.h>

#include <random>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
constexpr base::TimeNs kHostStart = 50 * base::kSecond;

// user nice system idle iowait irq softirq steal guest guest_nice
constexpr const char* kStat0 =
    "cpu  1000 100 200 90000 50 10 20 500 300 0\ncpu0 1000 100 200 90000 50 10 20 500 300 0\n"
    "intr 1 2 3\nbtime 1700000000\n";
// + 150 user, + 10 nice, + 30 system, + 20 iowait, + 5 irq, + 5 softirq, + 400 steal
constexpr const char* kStat1 = "cpu  1150 110 230 90180 70 15 25 900 450 0\nintr 1 2 3\n";

constexpr const char* kMeminfo =
    "MemTotal:       65842112 kB\nMemFree:         1024000 kB\nMemAvailable:   41523200 kB\n"
    "Buffers:             111 kB\nCached:         30000000 kB\nSwapCached:          222 kB\n"
    "Shmem:           2000000 kB\n";

constexpr const char* kDisks0 =
    "   7       0 loop0 9 0 9000 0 0 0 0 0 0 0 0\n"
    " 259       0 nvme0n1 1000 10 80000 50 7 7 7 7 0 7 7 0 0 0 0 1 1\n"
    " 259       1 nvme0n1p1 900 10 70000 50 7 7 7 7 0 7 7 0 0 0 0 1 1\n"
    " 253       0 dm-0 900 0 70000 50 7 7 7 7 0 7 7 0 0 0 0 1 1\n"
    "   8       0 sda 5 0 40 1 0 0 0 0 0 1 1\n";
constexpr const char* kDisks1 =
    "   7       0 loop0 9 0 99000 0 0 0 0 0 0 0 0\n"
    " 259       0 nvme0n1 1000 10 82000 50 7 7 7 7 0 7 7 0 0 0 0 1 1\n"
    " 259       1 nvme0n1p1 900 10 72000 50 7 7 7 7 0 7 7 0 0 0 0 1 1\n"
    " 253       0 dm-0 900 0 72000 50 7 7 7 7 0 7 7 0 0 0 0 1 1\n"
    "   8       0 sda 5 0 140 1 0 0 0 0 0 1 1\n";

class HostSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* disk : {"nvme0n1", "sda", "dm-0", "loop0"}) {
      host.write(std::string("/sys/block/") + disk + "/size", "1\n");
    }
  }
  Samples sample(base::TimeNs now) {
    Samples out;
    EXPECT_TRUE(source.sample(now, out));
    return out;
  }
  FakeHost host;
  HostSource source{host.paths(), 100};
};

TEST_F(HostSourceTest, TheFirstReadGivesNoRate) {
  host.write("/proc/stat", kStat0);
  host.write("/proc/meminfo", kMeminfo);
  host.write("/proc/diskstats", kDisks0);
  const auto first = sample(kHostStart);
  ASSERT_EQ(first.all.size(), 3U);
  EXPECT_EQ(first.all[0], (run::Sample{.t_ns = kHostStart,
                                       .value = 41523200.0 * 1024,
                                       .metric = Metric::kHostMemoryAvailable}));
  EXPECT_EQ(first.value(Metric::kHostMemoryTotal), 65842112.0 * 1024);
  EXPECT_EQ(first.value(Metric::kHostMemoryPageCache), 28000000.0 * 1024);
}

// Read late by what flatout waited for a core, and 10 ms later again.
TEST_F(HostSourceTest, NeverAreMoreCoresInUseThanThereAre) {
  const auto stat = [](int user) {
    return "cpu  " + std::to_string(user) + " 0 0 0 0 0 0 0 0 0\ncpu0 1 0 0 0 0 0 0 0 0 0\n" +
           "cpu1 1 0 0 0 0 0 0 0 0 0\nintr 1\n";
  };
  host.write("/proc/stat", stat(100));
  sample(kHostStart);
  host.write("/proc/stat", stat(189));
  EXPECT_DOUBLE_EQ(sample(kHostStart + base::kSecond / 10).value(Metric::kHostCpuCoresUsed), 2);
  host.write("/proc/stat", stat(199));
  EXPECT_DOUBLE_EQ(sample(kHostStart + base::kSecond / 5).value(Metric::kHostCpuCoresUsed), 1);
}

TEST_F(HostSourceTest, RatesAreOfTheTimeBetweenTwoReads) {
  host.write("/proc/stat", kStat0);
  host.write("/proc/diskstats", kDisks0);
  sample(kHostStart);
  host.write("/proc/stat", kStat1);
  host.write("/proc/diskstats", kDisks1);
  const auto second = sample(kHostStart + base::kSecond / 2);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostCpuCoresUsed), 200 / 100.0 / 0.5);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostIowait), 20 / 100.0 / 0.5);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostCpuStolen), 400 / 100.0 / 0.5);
  // nvme0n1 and sda; neither the partition, nor what stands on it, nor loop0.
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskRead), (2000 + 100) * 512 / 0.5);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskWritten), 0);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskBusy), 0);
  EXPECT_EQ(second.all.size(), 6U);
}

TEST_F(HostSourceTest, ACounterThatWentBackIsAbsent) {
  host.write("/proc/stat", kStat1);
  host.write("/proc/diskstats", kDisks1);
  sample(kHostStart);
  host.write("/proc/stat", kStat0);
  host.write("/proc/diskstats", kDisks0);
  const auto second = sample(kHostStart + base::kSecond);
  EXPECT_FALSE(second.has(Metric::kHostCpuCoresUsed));
  EXPECT_FALSE(second.has(Metric::kHostIowait));
  EXPECT_FALSE(second.has(Metric::kHostDiskRead));
}

TEST_F(HostSourceTest, NothingToReadIsNothingAndNoError) {
  EXPECT_TRUE(sample(kHostStart).all.empty());
  EXPECT_TRUE(sample(kHostStart + base::kSecond).all.empty());
}

TEST_F(HostSourceTest, AGapInReadingStartsTheRateAnew) {
  host.write("/proc/stat", kStat0);
  sample(kHostStart);
  host.remove("/proc/stat");
  sample(kHostStart + base::kSecond);
  host.write("/proc/stat", kStat1);
  EXPECT_FALSE(sample(kHostStart + 2 * base::kSecond).has(Metric::kHostCpuCoresUsed));
}

TEST(Meminfo, ACutNumberIsAbsent) {
  const std::string text = kMeminfo;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const MemoryKib memory = parse_meminfo(text.substr(0, size));
    EXPECT_TRUE(!memory.total || *memory.total == 65842112);
    EXPECT_TRUE(!memory.available || *memory.available == 41523200);
    EXPECT_FALSE(memory.page_cache);
  }
}

TEST_F(HostSourceTest, CutAndRandomTextNeverCrashes) {
  std::mt19937 random(11);
  const std::string all = std::string(kStat0) + kMeminfo + kDisks0;
  for (int round = 0; round < 300; ++round) {
    std::string text = all.substr(random() % all.size(), random() % all.size());
    for (int i = 0; i < 8 && !text.empty(); ++i) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    for (const char* file : {"/proc/stat", "/proc/meminfo", "/proc/diskstats"}) {
      host.write(file, text);
    }
    for (const auto& one : sample(kHostStart + round * base::kSecond).all) {
      EXPECT_GE(one.value, 0);
    }
  }
}

}  // namespace
}  // namespace flatout::collect
