// The environment of a trial: experiment trackers write nothing to where the
// user's runs are. Pure; any thread.
//
// Off or diverted: Weights & Biases, MLflow, Comet, Neptune, ClearML, SwanLab,
// Trackio, DVC Studio, the TensorBoard folder of Hugging Face's Trainer.
// Not to be turned off by the environment: TensorBoard itself, Aim, DVCLive,
// CodeCarbon and Lightning's CSVLogger, which write files into the working
// directory and so into the workspace, unless the program gives an absolute path;
// what a program says in code (wandb.init(mode="online"), mlflow.set_tracking_uri());
// uploads that are no tracker's (push_to_hub).
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "launch/plan.h"

namespace flatout::trial {

// `env` with what turns trackers off put in the place of what it said of them, and
// with what would tie a trial to an earlier run of a tracker left out. What must
// be written goes below `spill`, absolute; nothing is created. All else stays, in order.
launch::Environment trial_environment(std::span<const std::string> env,
                                      const std::filesystem::path& spill);

}  // namespace flatout::trial
