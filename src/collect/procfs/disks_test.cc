#include "collect/procfs/disks.h"

#include <gtest/gtest.h>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
constexpr base::TimeNs kDisksStart = 7 * base::kSecond;

// Numbers that nobody reads differ from 0.
std::string line(const std::string& name, unsigned long read_sectors, unsigned long written_sectors,
                 unsigned long busy_ms) {
  return "   8 0 " + name + " 91 92 " + std::to_string(read_sectors) + " 93 94 95 " +
         std::to_string(written_sectors) + " 96 97 " + std::to_string(busy_ms) + " 98 1 2 3 4\n";
}

class DisksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* disk : {"sda", "sdb", "md0", "cciss!c0d0"}) {
      host.write(std::string("/sys/block/") + disk + "/size", "1\n");
    }
  }
  Samples sample(base::TimeNs now, const std::string& text) {
    host.write("/proc/diskstats", text);
    Samples out;
    disks.sample(now, out);
    return out;
  }
  FakeHost host;
  Disks disks{host.paths()};
};

TEST_F(DisksTest, BytesAreOfAllDisksAndBusyIsOfTheBusiest) {
  EXPECT_TRUE(sample(kDisksStart, line("sda", 100, 1000, 50) + line("sda1", 100, 1000, 50) +
                                      line("sdb", 7, 7, 500) + line("md0", 100, 100, 1))
                  .all.empty());
  const auto second = sample(kDisksStart + base::kSecond / 2,
                             line("sda", 300, 1010, 100) + line("sda1", 300, 1010, 100) +
                                 line("sdb", 8, 7, 900) + line("md0", 999, 999, 499));
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskRead), 201 * 512 / 0.5);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskWritten), 10 * 512 / 0.5);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskBusy), 0.8);
  EXPECT_EQ(second.all.size(), 3U);
}

// The kernel counts in ticks: a busy disk may show a little more than the time.
TEST_F(DisksTest, BusyIsNeverAboveOne) {
  sample(kDisksStart, line("sda", 1, 1, 0));
  const auto second = sample(kDisksStart + base::kSecond / 10, line("sda", 1, 1, 104));
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskBusy), 1);
}

TEST_F(DisksTest, ADiskThatComesDoesNotBringItsPast) {
  sample(kDisksStart, line("sda", 100, 100, 0));
  const auto second = sample(kDisksStart + base::kSecond,
                             line("sda", 101, 102, 0) + line("sdb", 900'000, 900'000, 5000));
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskRead), 512);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskWritten), 1024);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostDiskBusy), 0);
  // sda went: what is left goes on.
  const auto third = sample(kDisksStart + 2 * base::kSecond, line("sdb", 900'001, 900'000, 5500));
  EXPECT_DOUBLE_EQ(third.value(Metric::kHostDiskRead), 512);
  EXPECT_DOUBLE_EQ(third.value(Metric::kHostDiskBusy), 0.5);
}

TEST_F(DisksTest, ANameWithASlashIsFoundInSysfs) {
  sample(kDisksStart, line("cciss/c0d0", 1, 1, 1));
  EXPECT_TRUE(
      sample(kDisksStart + base::kSecond, line("cciss/c0d0", 2, 1, 1)).has(Metric::kHostDiskRead));
}

TEST_F(DisksTest, NoDiskIsAbsentAndNotZero) {
  sample(kDisksStart, line("sda9", 1, 1, 1));
  EXPECT_TRUE(sample(kDisksStart + base::kSecond, line("sda9", 2, 2, 2)).all.empty());
}

TEST(DiskLine, ACutLineIsAbsent) {
  const std::string text = "   8 0 sda 91 92 3 93 94 95 4 96 97 5 98";
  const auto whole = parse_disk_line(text);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->read_bytes, 3 * 512U);
  EXPECT_EQ(whole->written_bytes, 4 * 512U);
  EXPECT_EQ(whole->busy_ms, 5U);
  for (std::size_t size = 0; size < text.size() - 3; ++size) {
    EXPECT_FALSE(parse_disk_line(std::string_view(text).substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace flatout::collect
