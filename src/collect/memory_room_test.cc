#include "host/memory_room.h"

#include <gtest/gtest.h>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

constexpr const char* kMount =
    "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

void in_a_job(FakeHost& host) {
  host.write("/proc/self/cgroup", "0::/job\n");
  host.write("/proc/self/mountinfo", kMount);
  host.write("/sys/fs/cgroup/job/cgroup.controllers", "cpu memory\n");
  host.write("/sys/fs/cgroup/job/memory.max", "1000000\n");
  host.write("/sys/fs/cgroup/job/memory.current", "700000\n");
}

TEST(MemoryRoomTest, NothingIsKnownOfAMachineThatTellsNothing) {
  const FakeHost host;
  EXPECT_FALSE(host::memory_room_bytes(host.paths()));
  EXPECT_FALSE(host::oom_kills(host.paths()));
}

TEST(MemoryRoomTest, WithoutALimitItIsWhatTheMachineHasLeft) {
  FakeHost host;
  host.write("/proc/meminfo", "MemTotal: 900 kB\nMemFree: 1 kB\nMemAvailable: 600 kB\n");
  EXPECT_EQ(host::memory_room_bytes(host.paths()), 600 * 1024);
}

TEST(MemoryRoomTest, TheLimitMinusWhatOthersHold) {
  FakeHost host;
  in_a_job(host);
  host.write("/proc/meminfo", "MemAvailable: 600000 kB\n");
  EXPECT_EQ(host::memory_room_bytes(host.paths()), 300000);
  host.write("/sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file 200000\n");
  EXPECT_EQ(host::memory_room_bytes(host.paths()), 500000) << "page cache is given back";
  host.write("/sys/fs/cgroup/job/memory.high", "max\n");
  EXPECT_EQ(host::memory_room_bytes(host.paths()), 500000);
  host.write("/sys/fs/cgroup/job/memory.high", "800000\n");
  EXPECT_EQ(host::memory_room_bytes(host.paths()), 300000) << "above it the job is slowed down";
  host.write("/proc/meminfo", "MemAvailable: 100 kB\n");
  EXPECT_EQ(host::memory_room_bytes(host.paths()), 102400) << "the machine has less";
  host.write("/sys/fs/cgroup/job/memory.current", "5000000\n");
  EXPECT_EQ(host::memory_room_bytes(host.paths()), 0) << "never below nothing";
}

TEST(MemoryRoomTest, KillsAreThoseOfTheOwnCgroup) {
  FakeHost host;
  in_a_job(host);
  host.write("/sys/fs/cgroup/job/memory.events", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 3\n");
  EXPECT_EQ(host::oom_kills(host.paths()), 3);
}

}  // namespace
}  // namespace flatout::collect
