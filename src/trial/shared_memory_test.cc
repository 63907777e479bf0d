#include "trial/shared_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "launch/spawned_for_test.h"
#include "workspace/tree_for_test.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using workspace::TemporaryDir;
using workspace::write;

class TrialMemoryTest : public testing::Test {
 protected:
  TrialMemoryTest() {
    fs::create_directory(paths.shm);
    fs::create_directory(paths.proc);
  }
  // A process of the fake /proc; it holds `fds` and maps `maps`, names of segments.
  void process(pid_t pid, char state, const std::vector<std::string>& maps,
               const std::vector<std::string>& fds = {}) {
    const fs::path dir = paths.proc / std::to_string(pid);
    fs::remove_all(dir);
    fs::create_directories(dir / "fd");
    std::string stat = std::to_string(pid) + " (python) " + state;
    for (int field = 4; field < 22; ++field) stat += " 0";
    write(dir / "stat", stat + " 777 0\n");
    std::string text = "7f00-7f01 r--p 00000000 08:01 99  /usr/lib/libc.so.6\n";
    for (const std::string& name : maps) {
      text += "7f02-7f03 rw-s 00000000 00:17 5    " + (paths.shm / name).string() + "\n";
    }
    write(dir / "maps", text);
    int number = 3;
    for (const std::string& name : fds) {
      fs::create_symlink(paths.shm / name, dir / "fd" / std::to_string(number++));
    }
  }
  std::vector<std::string> segments() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(paths.shm)) {
      out.push_back(entry.path().filename());
    }
    std::ranges::sort(out);
    return out;
  }
  TemporaryDir top;
  SharedMemoryPaths paths = {.shm = top / "shm", .proc = top / "proc"};
};

TEST_F(TrialMemoryTest, OnlyWhatDeadProcessesOfTheTrialMade) {
  for (const char* name :
       {"torch_10_5_0", "torch_10_5_1", "torch_11_5_0", "torch_12_5_0", "torch_13_5_0", "torch_10",
        "torch_10x_5", "torch_x_5", "sem.mp-1", "other", "psm_11112222", "nccl-abcdef"}) {
    write(paths.shm / name, "data");
  }
  process(11, 'S', {});                // of the trial, but it lives
  process(13, 'Z', {});                // of the trial, dead, not reaped
  process(99, 'S', {"torch_10_5_1"});  // somebody who got hold of one
  const TrialSharedMemory memory(0, paths);
  EXPECT_THAT(memory.remove({10, 11, 13}), ElementsAre("torch_10_5_0", "torch_13_5_0"));
  EXPECT_THAT(segments(), ElementsAre("nccl-abcdef", "other", "psm_11112222", "sem.mp-1",
                                      "torch_10", "torch_10_5_1", "torch_10x_5", "torch_11_5_0",
                                      "torch_12_5_0", "torch_x_5"));
}

TEST_F(TrialMemoryTest, NamesWithoutAPidCountOnceTheyWereSeen) {
  for (const char* name : {"psm_aaaa1111", "psm_bbbb2222", "psm_cccc3333", "nccl-AbCdEf", "mine"}) {
    write(paths.shm / name, "data");
  }
  TrialSharedMemory memory(0, paths);
  process(10, 'S', {"psm_aaaa1111", "nccl-AbCdEf", "mine", "psm_cccc3333"});
  process(50, 'S', {"psm_bbbb2222"}, {"psm_cccc3333"});  // none of the trial
  const pid_t living[] = {10, 11};
  memory.look(living);
  EXPECT_THAT(memory.remove({10}), IsEmpty());  // it still maps them
  fs::remove_all(paths.proc / "10");
  EXPECT_THAT(memory.remove({10}), ElementsAre("nccl-AbCdEf", "psm_aaaa1111"));
  EXPECT_THAT(segments(), ElementsAre("mine", "psm_bbbb2222", "psm_cccc3333"));
}

TEST_F(TrialMemoryTest, WhatWasThereBeforeTheTrialStays) {
  write(paths.shm / "torch_10_5_0", "data");
  fs::create_symlink("torch_10_5_0", paths.shm / "torch_10_6_0");
  fs::create_directory(paths.shm / "torch_10_7_0");
  const base::SystemClock clock;
  EXPECT_THAT(TrialSharedMemory(clock.wall() + base::kSecond, paths).remove({10}), IsEmpty());
  EXPECT_THAT(TrialSharedMemory(clock.wall() - 60 * base::kSecond, paths).remove({10}),
              ElementsAre("torch_10_5_0"));
  EXPECT_THAT(segments(), ElementsAre("torch_10_6_0", "torch_10_7_0"));
  const TrialSharedMemory nowhere(0, {.shm = top / "missing", .proc = top / "missing"});
  EXPECT_THAT(nowhere.remove({10}), IsEmpty());
}

// A real segment, whose owner is a real process.
TEST(TrialMemoryProcess, ASegmentGoesWithItsProcess) {
  const base::SystemClock clock;
  const base::WallNs started = clock.wall() - base::kSecond;  // file times are coarser
  launch::Spawned owner({launch::probe(), "copy"});           // lives until its input ends
  const std::string name = "torch_" + std::to_string(owner.pid()) + "_12345_0";
  const std::string other = "psm_flatout" + std::to_string(owner.pid());
  for (const std::string& segment : {name, other}) {
    const base::UniqueFd fd(::shm_open(("/" + segment).c_str(), O_CREAT | O_EXCL | O_RDWR, 0600));
    if (!fd) GTEST_SKIP() << "no shared memory here";
  }
  TrialSharedMemory memory(started);
  const pid_t living[] = {owner.pid()};
  memory.look(living);
  EXPECT_THAT(memory.remove({owner.pid()}), IsEmpty());
  owner.close_input();
  EXPECT_EQ(owner.wait(), launch::Exit{});
  {
    const base::UniqueFd held(::shm_open(("/" + name).c_str(), O_RDWR, 0600));
    EXPECT_THAT(memory.remove({owner.pid()}), IsEmpty());  // this process holds it
  }
  EXPECT_THAT(memory.remove({owner.pid()}), ElementsAre(name));
  EXPECT_EQ(::shm_unlink(("/" + other).c_str()), 0);  // was never seen with the trial
}

}  // namespace
}  // namespace flatout::trial
