#include "collect/procfs/pressure_source.h"

#include <gtest/gtest.h>

#include <random>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
constexpr base::TimeNs kPressureStart = 7 * base::kSecond;

std::string pressure(unsigned long some_us, unsigned long full_us) {
  return "some avg10=1.00 avg60=2.00 avg300=3.00 total=" + std::to_string(some_us) +
         "\nfull avg10=4.00 avg60=5.00 avg300=6.00 total=" + std::to_string(full_us) + "\n";
}

void write_host(FakeHost& host, unsigned long some_us, unsigned long full_us) {
  for (const char* file : {"cpu", "memory", "io"}) {
    host.write(std::string("/proc/pressure/") + file, pressure(some_us, full_us));
  }
}

Samples sample(PressureSource& source, base::TimeNs now) {
  Samples out;
  EXPECT_TRUE(source.sample(now, out));
  return out;
}

TEST(PressureSource, SharesAreOfTheTotals) {
  FakeHost host;
  write_host(host, 1000, 100);
  EXPECT_TRUE(has_pressure(host.paths()));
  PressureSource source(host.paths());
  EXPECT_TRUE(sample(source, kPressureStart).all.empty());
  write_host(host, 126'000, 50'100);
  const auto second = sample(source, kPressureStart + base::kSecond / 2);
  for (const Metric metric : {Metric::kHostPressureCpuSome, Metric::kHostPressureMemorySome,
                              Metric::kHostPressureIoSome}) {
    EXPECT_DOUBLE_EQ(second.value(metric), 0.25);
  }
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostPressureMemoryFull), 0.1);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostPressureIoFull), 0.1);
  EXPECT_EQ(second.all.size(), 5U);
  write_host(host, 900'000, 50'100);  // more than the time between: booked late
  EXPECT_DOUBLE_EQ(
      sample(source, kPressureStart + base::kSecond).value(Metric::kHostPressureCpuSome), 1);
}

TEST(PressureSource, OfTheOwnCgroupOfVersionTwo) {
  FakeHost host;
  host.write("/proc/self/cgroup", "4:cpu:/x\n0::/job\n");
  host.write("/proc/self/mountinfo",
             "35 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  host.write("/sys/fs/cgroup/unified/job/cgroup.type", "domain\n");
  host.write("/sys/fs/cgroup/unified/job/io.pressure", pressure(0, 0));
  host.write("/sys/fs/cgroup/unified/job/memory.pressure", pressure(0, 0));
  PressureSource source(host.paths());
  sample(source, kPressureStart);
  host.write("/sys/fs/cgroup/unified/job/io.pressure", pressure(300'000, 1));
  const auto second = sample(source, kPressureStart + base::kSecond);
  EXPECT_DOUBLE_EQ(second.value(Metric::kCgroupPressureIoSome), 0.3);
  EXPECT_DOUBLE_EQ(second.value(Metric::kCgroupPressureMemorySome), 0);
  EXPECT_EQ(second.all.size(), 2U);  // cpu.pressure is not there
}

TEST(PressureSource, AKernelWithoutPressureIsSilent) {
  FakeHost host;
  EXPECT_FALSE(has_pressure(host.paths()));
  PressureSource source(host.paths());
  EXPECT_TRUE(sample(source, kPressureStart).all.empty());
  EXPECT_TRUE(sample(source, kPressureStart + base::kSecond).all.empty());
  EXPECT_TRUE(source.take_notes().empty());
}

TEST(Pressure, CutAndRandomTextNeverGivesHalfANumber) {
  const std::string text = pressure(123'456, 789'012);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto totals = parse_pressure(std::string_view(text).substr(0, size));
    EXPECT_TRUE(!totals.some_us || *totals.some_us == 123'456);
    EXPECT_FALSE(totals.full_us);
  }
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string noise = text;
    for (int i = 0; i < 5; ++i) noise[random() % noise.size()] = static_cast<char>(random());
    parse_pressure(noise);
  }
}

}  // namespace
}  // namespace flatout::collect
