#include "trial/process_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/file.h"
#include "trial/cpu_sets.h"
#include "trial/local_launcher.h"

namespace flatout::trial {
namespace {

constexpr base::DurationNs kLong = 60 * base::kSecond;

class ProcessLauncherTest : public ::testing::Test {
 protected:
  ProcessLauncherTest() {
    std::string name = ::testing::TempDir() + "launcher-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~ProcessLauncherTest() override { std::filesystem::remove_all(folder_); }

  // What `sh` runs stands in the trial's file.
  PlacedTrial trial(const std::string& script) {
    PlacedTrial out;
    out.file = folder_ / ("trial" + std::to_string(++trials_));
    out.messages = out.file.string() + ".messages";
    EXPECT_TRUE(base::write_file_atomic(out.file, script));
    return out;
  }
  static std::string said(const PlacedTrial& trial) {
    const auto text = base::read_file(trial.messages);
    return text ? *text : "(nothing)";
  }

  std::filesystem::path folder_;
  int trials_ = 0;
};

TEST_F(ProcessLauncherTest, TellsWhichEndedAndHow) {
  ProcessLauncher launcher({"sh"}, std::vector<ProcessSlot>(2));
  EXPECT_FALSE(launcher.wait_any(0));  // none runs
  const auto waits = trial("read x < " + (folder_ / "pipe").string());
  const auto ends = trial("echo here; exit 3");
  ASSERT_TRUE(base::write_file_atomic(folder_ / "x", ""));
  ASSERT_EQ(::system(("mkfifo " + (folder_ / "pipe").string()).c_str()), 0);
  const auto first = launcher.start(waits);
  const auto second = launcher.start(ends);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(launcher.start(ends).error().code, base::ErrorCode::kUnavailable);  // no slot
  const auto end = launcher.wait_any(kLong);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->handle, *second);
  EXPECT_EQ(end->exit, (launch::Exit{.code = 3, .signal = 0}));
  EXPECT_EQ(said(ends), "here\n");
  launcher.cancel();
  const auto cancelled = launcher.wait_any(kLong);
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->handle, *first);
  EXPECT_EQ(cancelled->exit.signal, SIGTERM);
}

TEST_F(ProcessLauncherTest, WhatCannotBeExecutedEndsAtOnce) {
  ProcessLauncher launcher({"/no/such/program"}, {});
  ASSERT_TRUE(launcher.start(trial("")));
  const auto end = launcher.wait_any(kLong);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.code, 127);
}

TEST_F(ProcessLauncherTest, ASlotHasItsEnvironmentAndItsCpus) {
  const auto cores = cores_here();
  const int cpu = cores.front().front();
  ::setenv("LAUNCHER_TEST", "of the caller", 1);
  ProcessSlot slot;
  slot.environment = {"LAUNCHER_TEST=of the slot", "LAUNCHER_OTHER=2"};
  slot.cpus = {cpu};
  ProcessLauncher launcher({"sh"}, {slot});
  const auto asks = trial(
      "echo $LAUNCHER_TEST $LAUNCHER_OTHER; grep Cpus_allowed_list /proc/self/status; read x; echo "
      "input $?");
  ASSERT_TRUE(launcher.start(asks));
  ASSERT_TRUE(launcher.wait_any(kLong));
  EXPECT_EQ(said(asks),
            "of the slot 2\nCpus_allowed_list:\t" + std::to_string(cpu) + "\ninput 1\n");
  ::unsetenv("LAUNCHER_TEST");
}

TEST_F(ProcessLauncherTest, NothingOutlivesIt) {
  const auto waits = trial("echo $$; sleep 600");
  pid_t pid = 0;
  {
    ProcessLauncher launcher({"sh"}, {});
    ASSERT_TRUE(launcher.start(waits));
    while (said(waits).find('\n') == std::string::npos || said(waits) == "(nothing)") {
      EXPECT_FALSE(launcher.wait_any(base::kSecond / 100));
    }
    pid = std::stoi(said(waits));
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST_F(ProcessLauncherTest, AForkedBodyGetsTheTrialsFileAndItsStatusIsTheEnd) {
  const auto body = [](const std::filesystem::path& file) {
    const auto text = base::read_file(file);
    if (text && *text == "throw") throw std::runtime_error("of the body");
    return text && *text == "seven" ? 7 : 8;
  };
  int cleaned = 0;
  ProcessLauncher launcher(body, [&]() -> base::Result<void> {
    ++cleaned;
    return {};
  });
  EXPECT_EQ(launcher.slots(), 1);
  for (const auto& [text, status] : {std::pair("seven", 7), {"other", 8}, {"throw", 1}}) {
    ASSERT_TRUE(launcher.start(trial(text)));
    EXPECT_EQ(launcher.start(trial(text)).error().code, base::ErrorCode::kUnavailable);
    const auto end = launcher.wait_any(kLong);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->exit, (launch::Exit{.code = status, .signal = 0})) << text;
  }
  EXPECT_EQ(cleaned, 3) << "once ahead of each that was started";
}

TEST_F(ProcessLauncherTest, WhatCannotBeCleanedStartsNothing) {
  ProcessLauncher launcher(
      [](const std::filesystem::path&) { return 0; },
      []() -> base::Result<void> { return base::fail(base::ErrorCode::kIo, "the disk is full"); });
  const auto started = launcher.start(trial(""));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "the disk is full");
  EXPECT_FALSE(launcher.wait_any(0));
}

TEST(LocalLauncher, RefusesMoreSlotsThanCpus) {
  const auto made = make_local_launcher("/bin/true", {.count = 3, .devices = {}}, {{0}, {1}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, base::ErrorCode::kInvalid);
  EXPECT_THAT(made.error().message, ::testing::HasSubstr("--slots"));
}

}  // namespace
}  // namespace flatout::trial
