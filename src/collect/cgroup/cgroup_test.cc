// Captured shapes of /proc/self/cgroup and mountinfo, and what follows from each.
#include "host/cgroup.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "collect/cgroup/cgroup_source.h"
#include "collect/limits.h"
#include "collect/testing_tree.h"
#include "host/cpus.h"

namespace flatout::collect {
namespace {

using run::Metric;

struct Case {
  const char* name;
  std::string cgroup;
  std::string mountinfo;
  std::map<std::string, std::string> files;  // below /sys/fs/cgroup
  std::optional<double> quota;
  std::optional<std::int64_t> limit;
  std::optional<double> used;  // cgroup.memory.used
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const std::string kV2Mount =
    "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

std::vector<Case> cases() {
  return {
      {"v2 nested: an ancestor binds, its own usage counts",
       "0::/user.slice/job_7/step_0\n",
       kV2Mount,
       {{"cgroup.controllers", "cpuset cpu io memory\n"},
        {"user.slice/cgroup.controllers", "cpu memory\n"},
        {"user.slice/memory.max", "max\n"},
        {"user.slice/cpu.max", "max 100000\n"},
        {"user.slice/job_7/cgroup.controllers", "cpu memory\n"},
        {"user.slice/job_7/memory.max", "8589934592\n"},
        {"user.slice/job_7/memory.current", "5000000\n"},
        {"user.slice/job_7/cpu.max", "250000 100000\n"},
        {"user.slice/job_7/step_0/cgroup.controllers", "cpu memory\n"},
        {"user.slice/job_7/step_0/memory.max", "17179869184\n"},
        {"user.slice/job_7/step_0/memory.current", "4000000\n"},
        {"user.slice/job_7/step_0/cpu.max", "400000 100000\n"}},
       2.5,
       8589934592,
       5000000},
      {"v2 without limits: the own cgroup's usage",
       "0::/user.slice\n",
       kV2Mount,
       {{"user.slice/cgroup.controllers", "cpu memory\n"},
        {"user.slice/memory.max", "max\n"},
        {"user.slice/memory.current", "123\n"},
        {"user.slice/cpu.max", "max 100000\n"}},
       std::nullopt,
       std::nullopt,
       123},
      {"v2: a leaf without controllers is bound by its parent",
       "0::/pod/leaf\n",
       kV2Mount,
       {{"pod/cgroup.controllers", "cpu memory\n"},
        {"pod/memory.max", "1000000\n"},
        {"pod/memory.current", "900000\n"},
        {"pod/cpu.max", "50000 100000\n"},
        {"pod/leaf/cgroup.controllers", "\n"}},
       0.5,
       1000000,
       900000},
      {"v2 container with its own namespace: the root is its cgroup",
       "0::/\n",
       kV2Mount,
       {{"cgroup.controllers", "cpu memory\n"},
        {"memory.max", "2147483648\n"},
        {"memory.current", "77\n"},
        {"cpu.max", "150000 100000\n"}},
       1.5,
       2147483648,
       77},
      {"v2 container that sees the host's path",
       "0::/kubepods/pod1/abc\n",
       "35 24 0:30 /kubepods/pod1/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
       {{"cgroup.controllers", "cpu memory\n"},
        {"memory.max", "4096000\n"},
        {"memory.current", "88\n"},
        {"cpu.max", "300000 100000\n"}},
       3.0,
       4096000,
       88},
      {"v2 path outside the namespace: what is mounted is all there is",
       "0::/../other\n",
       "35 24 0:30 /.. /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
       {{"cgroup.controllers", "memory\n"}, {"memory.max", "4096\n"}, {"memory.current", "9\n"}},
       std::nullopt,
       4096,
       9},
      {"v1 nested, cpu and cpuacct in one mount",
       "5:memory:/slurm/job_9\n4:cpu,cpuacct:/slurm/job_9\n1:name=systemd:/x\n",
       "40 35 0:35 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
       "41 35 0:36 / /sys/fs/cgroup/cpu\\040and rw - cgroup cgroup rw,cpu,cpuacct\n",
       {{"memory/slurm/memory.limit_in_bytes", "9223372036854771712\n"},
        {"memory/slurm/job_9/memory.limit_in_bytes", "34359738368\n"},
        {"memory/slurm/job_9/memory.usage_in_bytes", "1111\n"},
        {"cpu and/slurm/cpu.cfs_quota_us", "-1\n"},
        {"cpu and/slurm/cpu.cfs_period_us", "100000\n"},
        {"cpu and/slurm/job_9/cpu.cfs_quota_us", "1600000\n"},
        {"cpu and/slurm/job_9/cpu.cfs_period_us", "100000\n"}},
       16.0,
       34359738368,
       1111},
      {"v1 in docker without a namespace",
       "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n",
       "40 35 0:35 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
       "41 35 0:36 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n",
       {{"memory/memory.limit_in_bytes", "1073741824\n"},
        {"memory/memory.usage_in_bytes", "2222\n"},
        {"cpu,cpuacct/cpu.cfs_quota_us", "75000\n"},
        {"cpu,cpuacct/cpu.cfs_period_us", "50000\n"}},
       1.5,
       1073741824,
       2222},
      {"hybrid: v1 has the controllers, v2 is there without any",
       "5:memory:/a\n4:cpu:/a\n0::/a\n",
       "40 35 0:35 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
       "41 35 0:36 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
       "42 35 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
       {{"memory/a/memory.limit_in_bytes", "5000\n"},
        {"memory/a/memory.usage_in_bytes", "3333\n"},
        {"cpu/a/cpu.cfs_quota_us", "200000\n"},
        {"cpu/a/cpu.cfs_period_us", "100000\n"},
        {"unified/a/cgroup.controllers", "\n"}},
       2.0,
       5000,
       3333},
      {"hybrid: memory in v1, cpu in v2",
       "5:memory:/a\n0::/b\n",
       "40 35 0:35 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
       "42 35 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
       {{"memory/a/memory.limit_in_bytes", "6000\n"},
        {"memory/a/memory.usage_in_bytes", "44\n"},
        {"unified/b/cgroup.controllers", "cpu\n"},
        {"unified/b/cpu.max", "100000 100000\n"}},
       1.0,
       6000,
       44},
      {"no cgroup file system at all",
       "0::/\n",
       "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
       {},
       std::nullopt,
       std::nullopt,
       std::nullopt},
      {"nothing can be read", "", "", {}, std::nullopt, std::nullopt, std::nullopt},
  };
}

class CgroupCase : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    host.write("/proc/self/cgroup", GetParam().cgroup);
    host.write("/proc/self/mountinfo", GetParam().mountinfo);
    for (const auto& [file, text] : GetParam().files) host.write("/sys/fs/cgroup/" + file, text);
  }
  FakeHost host;
};

TEST_P(CgroupCase, LimitsAndUsageAreThoseOfTheBindingLevel) {
  const Limits limits = read_limits(host.paths(), 64);
  EXPECT_EQ(limits.cpu_quota, GetParam().quota);
  EXPECT_EQ(limits.memory_limit_bytes, GetParam().limit);
  Samples out;
  CgroupSource source(host.paths());
  const auto done = source.sample(1, out);
  if (GetParam().used) {
    EXPECT_EQ(out.value(Metric::kCgroupMemoryUsed), *GetParam().used);
  } else {
    EXPECT_EQ(done.error().code, base::ErrorCode::kUnavailable);
    EXPECT_TRUE(out.all.empty());
  }
}
INSTANTIATE_TEST_SUITE_P(All, CgroupCase, ::testing::ValuesIn(cases()));

TEST(Limits, UsableCpusAreTheSmallerOfAffinityAndQuota) {
  FakeHost host;
  host.write("/proc/self/cgroup", "0::/\n");
  host.write("/proc/self/mountinfo", kV2Mount);
  host.write("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
  host.write("/proc/meminfo", "MemTotal:       65842112 kB\n");
  host.write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU @ 2.00GHz\n");
  struct Row {
    const char* cpu_max;
    int affinity;
    int cpus;
  };
  for (const Row& row :
       {Row{"250000 100000\n", 8, 3}, Row{"250000 100000\n", 2, 2}, Row{"max 100000\n", 8, 8},
        Row{"1000 100000\n", 8, 1}, Row{"0 0\n", 4, 4}}) {
    host.write("/sys/fs/cgroup/cpu.max", row.cpu_max);
    EXPECT_EQ(read_limits(host.paths(), row.affinity).cpus, row.cpus) << row.cpu_max;
  }
  const Limits limits = read_limits(host.paths(), 8);
  EXPECT_EQ(limits.memory_bytes, 65842112LL * 1024);
  EXPECT_EQ(limits.cpu_model, "Example CPU @ 2.00GHz");
}

TEST(Limits, BFloat16IsAFlagOfTheCpu) {
  FakeHost host;
  EXPECT_EQ(read_limits(host.paths(), 1).cpu_bf16, std::nullopt);
  struct Row {
    const char* cpuinfo;
    std::optional<bool> has;
  };
  for (const Row& row :
       {Row{"flags\t\t: fpu avx512f avx512_bf16 sse\n", true},
        Row{"flags\t\t: fpu amx_bf16\n", true}, Row{"Features\t: fp bf16 sve\n", true},
        Row{"flags\t\t: fpu avx512f avx512_bf16x\n", false},
        Row{"processor\t: 0\n", std::nullopt}}) {
    host.write("/proc/cpuinfo", row.cpuinfo);
    EXPECT_EQ(read_limits(host.paths(), 1).cpu_bf16, row.has) << row.cpuinfo;
  }
}

TEST(Limits, ThisMachineHasAtLeastOneCpuAndSomeMemory) {
  const Limits limits = read_limits({}, host::affinity_cpus());
  EXPECT_GE(limits.cpus, 1);
  ASSERT_TRUE(limits.memory_bytes);
  EXPECT_GT(*limits.memory_bytes, 1 << 20);
}

TEST(Throttling, ReadsBothVersionsAndLeavesOutTheRoot) {
  const auto v2 =
      parse_throttling("usage_usec 9\nnr_periods 10\nnr_throttled 4\nthrottled_usec 250\n",
                       host::CgroupVersion::kV2);
  ASSERT_TRUE(v2);
  EXPECT_EQ(v2->throttled_ns, 250'000U);
  EXPECT_EQ(v2->throttled_periods, 4U);
  const auto v1 = parse_throttling("nr_periods 10\nnr_throttled 4\nthrottled_time 250\n",
                                   host::CgroupVersion::kV1);
  ASSERT_TRUE(v1);
  EXPECT_EQ(v1->throttled_ns, 250U);
  EXPECT_FALSE(parse_throttling("usage_usec 9\nuser_usec 5\n", host::CgroupVersion::kV2));
}

TEST(Throttling, ShareIsBoundedByTimeAndByPeriods) {
  const Throttling from{.periods = 10, .throttled_periods = 5, .throttled_ns = 1000};
  const auto share = [&](std::uint64_t periods, std::uint64_t throttled, std::uint64_t ns) {
    return throttled_share(
        from,
        {.periods = 10 + periods, .throttled_periods = 5 + throttled, .throttled_ns = 1000 + ns},
        1'000'000);
  };
  EXPECT_DOUBLE_EQ(share(10, 10, 750'000).value(), 0.75);  // one busy CPU
  EXPECT_DOUBLE_EQ(share(10, 4, 6'000'000).value(), 0.4);  // eight of them
  EXPECT_DOUBLE_EQ(share(10, 10, 6'000'000).value(), 1.0);
  EXPECT_DOUBLE_EQ(share(0, 0, 0).value(), 0.0);
  EXPECT_FALSE(throttled_share(from, {}, 1'000'000));
}

TEST(CgroupSource, ThrottledShareNeedsTwoReads) {
  FakeHost host;
  host.write("/proc/self/cgroup", "0::/\n");
  host.write("/proc/self/mountinfo", kV2Mount);
  host.write("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
  host.write("/sys/fs/cgroup/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  CgroupSource source(host.paths());
  Samples first;
  EXPECT_TRUE(source.sample(base::kSecond, first));
  EXPECT_TRUE(first.all.empty());
  host.write("/sys/fs/cgroup/cpu.stat", "nr_periods 10\nnr_throttled 8\nthrottled_usec 300000\n");
  Samples second;
  EXPECT_TRUE(source.sample(2 * base::kSecond, second));
  ASSERT_EQ(second.all.size(), 1U);
  EXPECT_DOUBLE_EQ(second.value(Metric::kCgroupCpuThrottled), 0.3);
}

// The victim's own cgroup is where a kill is counted, not the one whose limit binds.
TEST(CgroupSource, OomKillsAreThoseOfTheOwnCgroup) {
  FakeHost host;
  host.write("/proc/self/cgroup", "0::/job/step\n");
  host.write("/proc/self/mountinfo", kV2Mount);
  host.write("/sys/fs/cgroup/job/cgroup.controllers", "memory\n");
  host.write("/sys/fs/cgroup/job/memory.max", "4096\n");
  host.write("/sys/fs/cgroup/job/memory.current", "7\n");
  host.write("/sys/fs/cgroup/job/memory.events", "oom 9\noom_kill 9\n");
  host.write("/sys/fs/cgroup/job/step/cgroup.controllers", "memory\n");
  host.write("/sys/fs/cgroup/job/step/memory.events", "low 0\nhigh 0\nmax 6\noom 2\noom_kill 1\n");
  CgroupSource source(host.paths());
  Samples out;
  EXPECT_TRUE(source.sample(1, out));
  EXPECT_EQ(out.value(Metric::kCgroupMemoryUsed), 7);
  EXPECT_EQ(out.value(Metric::kCgroupMemoryOomKills), 1);
  host.write("/sys/fs/cgroup/job/step/memory.events", "oom 2\noom_kill 1");  // cut
  Samples cut;
  EXPECT_TRUE(source.sample(2, cut));
  EXPECT_FALSE(cut.has(Metric::kCgroupMemoryOomKills));
}

TEST(CgroupSource, OomKillsOfVersionOne) {
  FakeHost host;
  host.write("/proc/self/cgroup", "5:memory:/a\n");
  host.write("/proc/self/mountinfo",
             "40 35 0:35 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  host.write("/sys/fs/cgroup/memory/a/memory.oom_control",
             "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  CgroupSource source(host.paths());
  Samples out;
  EXPECT_TRUE(source.sample(1, out));
  EXPECT_EQ(out.value(Metric::kCgroupMemoryOomKills), 3);
}

TEST(Cgroup, TheRootIsNoCgroupOfTheRun) {
  FakeHost host;
  host.write("/proc/self/cgroup", "0::/a\n");
  host.write("/proc/self/mountinfo", kV2Mount);
  host.write("/sys/fs/cgroup/a/cgroup.controllers", "\n");
  EXPECT_FALSE(host::own_cgroup_v2(host.paths()));
  host.write("/sys/fs/cgroup/a/cgroup.type", "domain\n");
  ASSERT_TRUE(host::own_cgroup_v2(host.paths()));
  EXPECT_EQ(*host::own_cgroup_v2(host.paths()), host.paths().root / "sys/fs/cgroup/a");
}

// 64 KiB of "a/" are 32,768 folders, each of which would be a path of its own.
TEST(Cgroup, APathWithoutEndIsNone) {
  FakeHost host;
  std::string deep = "0::";
  for (int i = 0; i < 30'000; ++i) deep += "/a";
  host.write("/proc/self/cgroup", deep + "\n");
  host.write("/proc/self/mountinfo", kV2Mount);
  host.write("/sys/fs/cgroup/cgroup.controllers", "memory\n");
  EXPECT_FALSE(host::cgroup_levels(host.paths(), "memory"));
}

TEST(Cgroup, RandomTextNeverCrashes) {
  FakeHost host;
  std::mt19937 random(2);
  const auto all = cases();
  for (int round = 0; round < 200; ++round) {
    std::string cgroup = all[random() % all.size()].cgroup;
    std::string mountinfo = all[random() % all.size()].mountinfo;
    for (std::string* text : {&cgroup, &mountinfo}) {
      if (text->empty()) continue;
      for (int i = 0; i < 6; ++i) (*text)[random() % text->size()] = static_cast<char>(random());
      text->resize(random() % (text->size() + 1));
    }
    host.write("/proc/self/cgroup", cgroup);
    host.write("/proc/self/mountinfo", mountinfo);
    host.write("/sys/fs/cgroup/cpu.max", cgroup);
    read_limits(host.paths(), 4);
  }
}

}  // namespace
}  // namespace flatout::collect
