// Trials by Slurm: each is one task of an srun. The file of a trial, its results and
// the runs lie on a file system that the nodes share. Main thread.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "trial/launcher.h"

namespace flatout::trial {

struct SlurmOptions {
  std::vector<std::string> arguments = {};  // for srun: "--partition=gpu", "--gpus=1"
  int slots = 1;                            // trials that are asked for at one time
};

// srun with all its words, up to where a trial's file goes. Pure.
std::vector<std::string> srun_words(const std::filesystem::path& flatout,
                                    const SlurmOptions& options);

// kUnavailable where there is no srun in the PATH of `env`. `flatout`: the binary, by a
// path that the nodes know, too. SIGTERM to srun reaches the trial, which ends.
base::Result<std::unique_ptr<Launcher>> make_slurm_launcher(const std::filesystem::path& flatout,
                                                            const SlurmOptions& options,
                                                            std::span<const std::string> env);

}  // namespace flatout::trial
