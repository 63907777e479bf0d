#include "trial/slurm_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flatout::trial {
namespace {

TEST(Slurm, TheUsersArgumentsComeBehindOurs) {
  EXPECT_THAT(srun_words("/opt/bin/flatout", {.arguments = {"--partition=gpu", "-t", "10"}}),
              ::testing::ElementsAre("srun", "--ntasks=1", "--input=none", "--job-name=flatout",
                                     "--partition=gpu", "-t", "10", "/opt/bin/flatout", "trial"));
}

TEST(Slurm, WithoutSrunThereIsOneLineThatSaysSo) {
  const std::vector<std::string> env = {"PATH=/nowhere:/neither"};
  const auto made = make_slurm_launcher("/opt/bin/flatout", {}, env);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(made.error().message, ::testing::HasSubstr("no srun in PATH"));
}

}  // namespace
}  // namespace flatout::trial
