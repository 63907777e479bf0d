#include "launch/torch_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/file.h"

namespace flatout::launch {
namespace {

using base::kSecond;

TEST(TorchWatch, LooksSeldomAndNoMoreOnceItKnows) {
  int looks = 0;
  std::optional<pid_t> there;
  TorchWatch watch(0, [&] {
    ++looks;
    return there;
  });
  for (int second = 0; second < 63; ++second) watch.tick(second * kSecond, false);
  EXPECT_EQ(looks, 5) << "after 1, 3, 7, 15 and 31 seconds";
  EXPECT_FALSE(watch.without_hooks());
  there = 7;
  for (int second = 63; second < 1000; ++second) watch.tick(second * kSecond, false);
  EXPECT_EQ(looks, 6);
  EXPECT_EQ(watch.without_hooks(), 7);
}

TEST(TorchWatch, HooksThatSpeakLateHaveAttached) {
  TorchWatch watch(0, [] { return std::optional<pid_t>(7); });
  watch.tick(kSecond, false);
  EXPECT_EQ(watch.without_hooks(), 7);
  watch.tick(2 * kSecond, true);
  EXPECT_FALSE(watch.without_hooks());
}

class ProcessWithTorch : public testing::Test {
 protected:
  ProcessWithTorch() {
    char name[] = "/tmp/flatout_proc_XXXXXX";
    proc_ = ::mkdtemp(name);
  }
  ~ProcessWithTorch() override { std::filesystem::remove_all(proc_); }

  void add(int pid, int parent, const std::string& mapped) {
    const auto folder = proc_ / std::to_string(pid);
    std::filesystem::create_directory(folder);
    const std::string stat = std::to_string(pid) + " (x) S " + std::to_string(parent) + " 0 0";
    EXPECT_TRUE(base::write_file_atomic(folder / "stat", stat));
    EXPECT_TRUE(
        base::write_file_atomic(folder / "maps", "7f00-7f01 r-xp 0 08:01 1 " + mapped + "\n"));
  }
  std::filesystem::path proc_;
};

TEST_F(ProcessWithTorch, IsFoundBelowALauncher) {
  add(10, 1, "/usr/bin/bash");
  add(11, 10, "/venv/lib/torch/lib/libtorch_python.so");
  EXPECT_EQ(process_with_torch(10, proc_), 11);
}

TEST_F(ProcessWithTorch, ACppProgramOnLibtorchIsNone) {
  add(10, 1, "/opt/libtorch/lib/libtorch_cpu.so");
  EXPECT_FALSE(process_with_torch(10, proc_));
}

TEST_F(ProcessWithTorch, OneThatIsGoneIsPassedOver) { EXPECT_FALSE(process_with_torch(10, proc_)); }

}  // namespace
}  // namespace flatout::launch
