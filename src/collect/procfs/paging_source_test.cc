#include "collect/procfs/paging_source.h"

#include <gtest/gtest.h>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;

std::string vmstat(int in, int out, int faults) {
  return "nr_free_pages 12\npgpgin 555\npswpin " + std::to_string(in) + "\npswpout " +
         std::to_string(out) + "\npgfault 777\npgmajfault " + std::to_string(faults) +
         "\npgmajfault_other 8\noom_kill 0\n";
}

TEST(PagingSource, RatesOfPagesAndFaults) {
  FakeHost host;
  PagingSource source(host.paths(), 4096);
  host.write("/proc/vmstat", vmstat(10, 20, 30));
  Samples first;
  EXPECT_TRUE(source.sample(base::kSecond, first));
  EXPECT_TRUE(first.all.empty());
  host.write("/proc/vmstat", vmstat(14, 28, 36));
  Samples second;
  EXPECT_TRUE(source.sample(3 * base::kSecond, second));
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostSwapIn), 2 * 4096);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostSwapOut), 4 * 4096);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostMajorFaults), 3);
}

// A kernel without CONFIG_SWAP has no pswpin, and one without event counters none of them.
TEST(PagingSource, WhatTheKernelDoesNotCountIsAbsent) {
  FakeHost host;
  PagingSource source(host.paths(), 4096);
  for (const char* text : {"", "pgmajfault 1\n", "pgmajfault 2\n", "nr_free_pages 2\n"}) {
    host.write("/proc/vmstat", text);
    Samples out;
    static base::TimeNs now = 0;
    EXPECT_TRUE(source.sample(now += base::kSecond, out));
    EXPECT_FALSE(out.has(Metric::kHostSwapIn));
    EXPECT_EQ(out.has(Metric::kHostMajorFaults), std::string_view(text) == "pgmajfault 2\n");
  }
}

TEST(Vmstat, ACutNumberIsAbsent) {
  const std::string text = vmstat(123, 456, 789);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto counters = parse_vmstat(std::string_view(text).substr(0, size));
    EXPECT_TRUE(!counters.swapped_in_pages || *counters.swapped_in_pages == 123);
    EXPECT_TRUE(!counters.swapped_out_pages || *counters.swapped_out_pages == 456);
    EXPECT_TRUE(!counters.major_faults || *counters.major_faults == 789);
  }
}

}  // namespace
}  // namespace flatout::collect
