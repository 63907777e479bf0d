#include "apply/plan_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apply/plan_file.h"

namespace flatout::apply {
namespace {

TEST(PlanVariables, WhatChoosesCodeIsRefusedUnlessAllowed) {
  for (const char* const name :
       {"LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME",
        "BASH_ENV", "ENV", "GIT_SSH_COMMAND", "https_proxy", "HTTP_PROXY", "NODE_OPTIONS",
        "NCCL_NET_PLUGIN", "HF_ENDPOINT", "CUDA_INJECTION64_PATH", "CC"}) {
    const auto plan = parse_plan(std::string("[knobs]\n[[knob]]\nname = \"x\"\nenvironment = \"") +
                                     name + "={}\"\nvalue = \"evil.so\"\n",
                                 "plan");
    ASSERT_TRUE(plan) << name;
    EXPECT_THAT(refused_variables(*plan, {}), testing::ElementsAre(name));
    EXPECT_THAT(refused_variables(*plan, {name}), testing::IsEmpty());
  }
}

TEST(PlanVariables, WhatTunesIsNot) {
  for (const char* const name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTORCH_ALLOC_CONF",
                                 "TORCH_CUDNN_V8_API_ENABLED", "NCCL_ALGO", "MY_BATCH"}) {
    EXPECT_FALSE(chooses_code(name, "4")) << name;
  }
  EXPECT_TRUE(chooses_code("MY_BATCH", "/tmp/x"));
}

TEST(PlanVariables, AllThatIsSetIsInOneLine) {
  const auto plan = parse_plan(
      "[knobs]\ndataloader.num_workers = 6\n[[knob]]\nname = \"w\"\nargument = "
      "\"--workers={}\"\nvalue = 4\n[[knob]]\nname = \"t\"\nenvironment = "
      "\"OMP_NUM_THREADS={}\"\nvalue = 2\n",
      "plan");
  ASSERT_TRUE(plan);
  EXPECT_EQ(settings_line(*plan), "dataloader.num_workers = 6, --workers=4, OMP_NUM_THREADS=2");
}

}  // namespace
}  // namespace flatout::apply
