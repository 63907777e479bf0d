#include "launch/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

RunPlan plan_with_hooks() {
  return {.run_id = "k7f2",
          .recorder = {.pid = 12, .start_ticks = 345},
          .hooks = HookPlan{.site_dir = "/opt/site", .ring_dir = "/dev/shm/r", .stop_after = {}}};
}

TEST(ChildEnvironment, PutsTheSiteDirBeforeWhateverTheUserHas) {
  struct Case {
    std::vector<std::string> env;
    std::string path;
  };
  const Case cases[] = {
      {{}, "PYTHONPATH=/opt/site"},
      {{"PYTHONPATH="}, "PYTHONPATH=/opt/site"},  // a ':' here would add the current folder
      {{"PYTHONPATH=/a:/b"}, "PYTHONPATH=/opt/site:/a:/b"},
      {{"PYTHONPATH=:/b"}, "PYTHONPATH=/opt/site::/b"},  // the user's own current folder stays
      {{"PYTHONPATH=/opt/site"}, "PYTHONPATH=/opt/site"},
      {{"PYTHONPATH=/opt/site:/a"}, "PYTHONPATH=/opt/site:/a"},
      {{"PYTHONPATH=/opt/site2"}, "PYTHONPATH=/opt/site:/opt/site2"},
  };
  for (const Case& c : cases) {
    const Environment out = child_environment(c.env, plan_with_hooks());
    EXPECT_THAT(out, Contains(c.path));
    EXPECT_EQ(out.size(), 4U) << c.path;
  }
}

TEST(ChildEnvironment, SaysTheRunAndOnlyWhatWasAsked) {
  RunPlan plan = plan_with_hooks();
  EXPECT_THAT(child_environment({}, plan),
              ElementsAre("PYTHONPATH=/opt/site", "FLATOUT_RUN=k7f2", "FLATOUT_RECORDER=12:345",
                          "FLATOUT_RING_DIR=/dev/shm/r"));
  plan.hooks->stop_after = 30;
  plan.hooks->quiet = true;
  plan.hooks->loader_files = false;
  const Environment asked = child_environment({}, plan);
  EXPECT_THAT(asked, Contains("FLATOUT_STOP_AFTER=30"));
  EXPECT_THAT(asked, Contains("FLATOUT_QUIET=1"));
  EXPECT_THAT(asked, Contains("FLATOUT_LOADER_FILES=0"));
}

TEST(ChildEnvironment, HasCudaLoadTheTraceAgentWhereItWasAsked) {
  RunPlan plan = plan_with_hooks();
  plan.trace = TracePlan{.library = "/opt/lib/libflatout_inject.so", .mode = "windows"};
  const Environment asked = child_environment({}, plan);
  EXPECT_THAT(asked, Contains("CUDA_INJECTION64_PATH=/opt/lib/libflatout_inject.so"));
  EXPECT_THAT(asked, Contains("FLATOUT_TRACE=windows"));
  EXPECT_THAT(asked, Contains("NVTX_INJECTION64_PATH=/opt/lib/libflatout_inject.so"));
  // Not without the hooks' ring directory, into which it writes.
  plan.hooks.reset();
  EXPECT_THAT(child_environment({}, plan), Not(Contains("FLATOUT_TRACE=windows")));
}

TEST(ChildEnvironment, LeavesTheAgentOfAnotherToolAndTakesAwayItsOwn) {
  const std::vector<std::string> others = {"CUDA_INJECTION64_PATH=/opt/nsight/libInjection.so"};
  EXPECT_THAT(child_environment(others, plan_with_hooks()), Contains(others[0]));
  EXPECT_EQ(other_agent(others), "/opt/nsight/libInjection.so");
  // Of an outer run that has ended.
  const std::vector<std::string> own = {"CUDA_INJECTION64_PATH=/old/libflatout_inject.so",
                                        "FLATOUT_TRACE=kernels"};
  EXPECT_THAT(child_environment(own, plan_with_hooks()), Not(Contains(own[0])));
  EXPECT_THAT(child_environment(own, plan_with_hooks()), Not(Contains(own[1])));
  EXPECT_EQ(other_agent(own), std::nullopt);
  EXPECT_EQ(other_agent({}), std::nullopt);
}

TEST(ChildEnvironment, LeavesTheRangesToAnotherTool) {
  RunPlan plan = plan_with_hooks();
  plan.trace = TracePlan{.library = "/opt/lib/libflatout_inject.so", .mode = "kernels"};
  const std::vector<std::string> others = {"NVTX_INJECTION64_PATH=/opt/libcupti.so"};
  const Environment env = child_environment(others, plan);
  EXPECT_THAT(env, Contains(others[0]));
  EXPECT_THAT(env, Contains("CUDA_INJECTION64_PATH=/opt/lib/libflatout_inject.so"));
  EXPECT_THAT(env, Not(Contains("NVTX_INJECTION64_PATH=/opt/lib/libflatout_inject.so")));
  const std::vector<std::string> empty = {"NVTX_INJECTION64_PATH="};
  EXPECT_THAT(child_environment(empty, plan), Not(Contains(empty[0])));
  const std::vector<std::string> own = {"NVTX_INJECTION64_PATH=/old/libflatout_inject.so"};
  EXPECT_THAT(child_environment(own, plan_with_hooks()), Not(Contains(own[0])));
}

TEST(ChildEnvironment, SaysWhichTrackersAreCaptured) {
  RunPlan plan = plan_with_hooks();
  plan.hooks->capture = "wandb,mlflow";
  EXPECT_THAT(child_environment({}, plan), Contains("FLATOUT_CAPTURE=wandb,mlflow"));
  const std::vector<std::string> left = {"FLATOUT_CAPTURE=neptune"};  // of an outer run
  EXPECT_FALSE(env_value(child_environment(left, plan_with_hooks()), "FLATOUT_CAPTURE"));
}

TEST(ChildEnvironment, CarriesThePlanAndATrial) {
  RunPlan plan = plan_with_hooks();
  plan.hooks->plan_json = R"({"dataloader.num_workers":6})";
  plan.hooks->plan_environment = {{"OMP_NUM_THREADS", "2"}, {"MKL_NUM_THREADS", "2"}};
  plan.hooks->trial = true;
  plan.hooks->stop_after = 40;
  const std::vector<std::string> env = {"OMP_NUM_THREADS=8",        "OMP_NUM_THREADS_MORE=1",
                                        "FLATOUT_PLAN={\"old\":1}", "FLATOUT_TRIAL=1",
                                        "OMP_NUM_THREADS=9",        "A=1"};
  EXPECT_THAT(
      child_environment(env, plan),
      ElementsAre("OMP_NUM_THREADS_MORE=1", "A=1", "PYTHONPATH=/opt/site", "FLATOUT_RUN=k7f2",
                  "FLATOUT_RECORDER=12:345", "OMP_NUM_THREADS=2", "MKL_NUM_THREADS=2",
                  "FLATOUT_RING_DIR=/dev/shm/r", "FLATOUT_STOP_AFTER=40", "FLATOUT_TRIAL=1",
                  R"(FLATOUT_PLAN={"dataloader.num_workers":6})"));
}

TEST(ChildEnvironment, WithoutAPlanNothingOfAnOldOneIsLeft) {
  const std::vector<std::string> env = {"OMP_NUM_THREADS=8", "FLATOUT_PLAN={}", "FLATOUT_TRIAL=1"};
  EXPECT_THAT(child_environment(env, plan_with_hooks()),
              ElementsAre("OMP_NUM_THREADS=8", "PYTHONPATH=/opt/site", "FLATOUT_RUN=k7f2",
                          "FLATOUT_RECORDER=12:345", "FLATOUT_RING_DIR=/dev/shm/r"));
}

TEST(ChildEnvironment, WithoutHooksLeavesPythonAlone) {
  RunPlan plan = plan_with_hooks();
  plan.hooks.reset();
  const std::vector<std::string> env = {"A=1", "PYTHONPATH=/a", "FLATOUT_RING_DIR=/old"};
  EXPECT_THAT(child_environment(env, plan),
              ElementsAre("A=1", "PYTHONPATH=/a", "FLATOUT_RUN=k7f2", "FLATOUT_RECORDER=12:345"));
}

TEST(ChildEnvironment, KeepsEverythingElseInOrderAndForgetsAnEndedRun) {
  const std::vector<std::string> env = {
      "Z=1", "odd", "FLATOUT_RUN=old", "FLATOUT_HOME=/h", "FLATOUT_STOP_AFTER=9", "A=x=y"};
  const Environment out = child_environment(env, plan_with_hooks());
  EXPECT_THAT(std::vector(out.begin(), out.begin() + 4),
              ElementsAre("Z=1", "odd", "FLATOUT_HOME=/h", "A=x=y"));
  EXPECT_THAT(out, Not(Contains("FLATOUT_RUN=old")));
  EXPECT_FALSE(env_value(out, "FLATOUT_STOP_AFTER"));
}

}  // namespace
}  // namespace flatout::launch
