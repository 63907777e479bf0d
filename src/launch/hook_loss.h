// Why hooks are or will be lost, each in one line with what to do. What this
// says is read from command lines and environments; nothing is guessed from their
// absence. `uv run`, `conda run`, `torchrun`, `accelerate launch` and shell scripts
// keep the environment and give no line. Any thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/plan.h"

namespace flatout::launch {

enum class LossKind {
  kLauncher,     // sudo, docker, ssh, srun, env -i: starts it elsewhere or with another environment
  kPythonFlag,   // -I, -E or -S
  kEnvironment,  // a Python whose PYTHONPATH lacks our folder
};

struct HookLoss {
  LossKind kind = LossKind::kLauncher;
  pid_t pid = 0;     // 0 = told from the command line before the start
  std::string line;  // without "flatout: ", newline or full stop
  friend bool operator==(const HookLoss&, const HookLoss&) = default;
};

// From the command alone, before it starts. `env` reports where srun would run it.
// Looks through env, nice, nohup, time, timeout, stdbuf, setsid, taskset, numactl.
std::optional<HookLoss> hook_loss_in_command(std::span<const std::string> argv,
                                             std::span<const std::string> env);

// From one process that runs: its argv, its environment and the folder that
// PYTHONPATH must name. `exe` is the base name of its program file.
std::optional<HookLoss> hook_loss_in_process(pid_t pid, std::string_view exe,
                                             std::span<const std::string> argv,
                                             std::span<const std::string> env,
                                             const std::filesystem::path& site_dir);

// From `root` and everything below it; one loss a kind and line. A process that
// may not be read shows nothing. Ask once no process of the run has attached for
// a while: a script may well use ssh for something else than training.
std::vector<HookLoss> hook_losses_in_tree(pid_t root, const std::filesystem::path& site_dir,
                                          const std::filesystem::path& proc = "/proc");

}  // namespace flatout::launch
