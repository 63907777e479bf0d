#include "trial/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace flatout::trial {
namespace {

using testing::Contains;
using testing::Not;

TEST(TrialEnvironment, TrackersAreOffOrDiverted) {
  const launch::Environment out = trial_environment(launch::Environment{}, "/scratch/spill");
  for (const char* entry :
       {"WANDB_MODE=disabled", "WANDB_SILENT=true",
        "MLFLOW_TRACKING_URI=file:/scratch/spill/mlruns", "MLFLOW_ALLOW_FILE_STORE=true",
        "COMET_AUTO_LOG_DISABLE=1", "COMET_START_ONLINE=0", "NEPTUNE_MODE=offline",
        "CLEARML_OFFLINE_MODE=1", "CLEARML_CACHE_DIR=/scratch/spill/clearml",
        "SWANLAB_MODE=disabled", "TRACKIO_DIR=/scratch/spill/trackio", "DVC_STUDIO_OFFLINE=true",
        "TENSORBOARD_LOGGING_DIR=/scratch/spill/tensorboard"}) {
    EXPECT_THAT(out, Contains(entry));
  }
}

TEST(TrialEnvironment, WhatTheUserSaidOfThemDoesNotStandBesideIt) {
  const launch::Environment env = {"A=1",
                                   "WANDB_MODE=online",
                                   "MLFLOW_TRACKING_URI=https://tracking.example",
                                   "WANDB_MODE=offline",
                                   "MLFLOW_RUN_ID=abc",
                                   "TRACKIO_SPACE_ID=me/space",
                                   "WANDB_PROJECT=kept",
                                   "NOT_AN_ASSIGNMENT",
                                   "=",
                                   "B=x=y"};
  const launch::Environment out = trial_environment(env, "/s");
  EXPECT_THAT(out, Not(Contains("WANDB_MODE=online")));
  EXPECT_EQ(launch::env_value(out, "WANDB_MODE"), "disabled");
  EXPECT_EQ(launch::env_value(out, "MLFLOW_TRACKING_URI"), "file:/s/mlruns");
  EXPECT_FALSE(launch::env_value(out, "MLFLOW_RUN_ID"));
  EXPECT_FALSE(launch::env_value(out, "TRACKIO_SPACE_ID"));
  const launch::Environment first(out.begin(), out.begin() + 5);
  EXPECT_EQ(first,
            (launch::Environment{"A=1", "WANDB_PROJECT=kept", "NOT_AN_ASSIGNMENT", "=", "B=x=y"}));
  std::set<std::string> names;
  for (const std::string& entry : out) {
    EXPECT_TRUE(names.insert(entry.substr(0, entry.find('='))).second) << entry;
  }
  EXPECT_EQ(trial_environment(out, "/s"), out);
}

}  // namespace
}  // namespace flatout::trial
