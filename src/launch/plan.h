// The environment of the observed command: everything that flatout adds to it,
// in one pure function. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process.h"
#include "base/result.h"

namespace flatout::launch {

using Environment = std::vector<std::string>;  // "NAME=value", in order

// What the hooks in the child need to know. Without it (--no-hooks) the child
// is not observed, but a nested flatout still finds the run.
struct HookPlan {
  std::filesystem::path site_dir;  // holds sitecustomize.py; no ':' in it
  std::filesystem::path ring_dir;
  std::string ring_ipc = {};                     // see ring_memory.h; "" = rings are files
  std::optional<std::uint64_t> ring_bytes = {};  // of a rank's ring, nothing = as usual
  std::optional<std::uint64_t> stop_after;       // steps
  std::filesystem::path track_files = {};        // where a tracker's files go; "" = nowhere
  bool quiet = false;
  bool loader_files = true;    // record the names of some files that samples are read from
  std::string capture = {};    // trackers whose calls are recorded: "wandb,mlflow"; "" = none
  bool record_output = false;  // what its Python programs write to stdout and stderr
  // Knobs of the plan, one compact JSON object: {"dataloader.num_workers":6}; "" = none.
  std::string plan_json = {};
  // Names and values that knobs of the plan set; they override the user's.
  std::vector<std::pair<std::string, std::string>> plan_environment = {};
  // With stop_after: a process that reaches it ends at once (inject/steps.h).
  bool trial = false;
  std::uint64_t seed_shift = 0;  // of a trial: the program's seeds are moved; 0 = its own
};

// The agent of kernel traces, which CUDA's driver loads where CUDA_INJECTION64_PATH says so.
struct TracePlan {
  std::filesystem::path library;
  std::string mode;  // "kernels" or "windows"
};

struct RunPlan {
  std::string run_id;
  base::ProcessId recorder;
  std::optional<HookPlan> hooks;
  std::optional<TracePlan> trace = {};  // with hooks alone: it writes into their ring directory
};

// The environment of this process.
Environment current_environment();

// The value of `name`, or nothing. The first entry wins, as in getenv(3).
std::optional<std::string_view> env_value(std::span<const std::string> env, std::string_view name);

// `env` as the child gets it: FLATOUT_RUN and FLATOUT_RECORDER set; with hooks
// also FLATOUT_RING_DIR; FLATOUT_RING_IPC, FLATOUT_RING_BYTES, FLATOUT_STOP_AFTER, FLATOUT_TRIAL,
// FLATOUT_PLAN, the plan's environment, FLATOUT_TRACK_FILES, FLATOUT_QUIET, FLATOUT_CAPTURE,
// FLATOUT_OUTPUT,
// FLATOUT_TRACE and // CUDA_INJECTION64_PATH (only if asked); and the site dir in front of
// PYTHONPATH, which otherwise keeps its text. What an outer, ended run left in FLATOUT_* variables
// is removed. All else is as it was.
Environment child_environment(std::span<const std::string> env, const RunPlan& plan);

// Who traces already, or is to: what `env` has CUDA load, if that is not this agent.
std::optional<std::string> other_agent(std::span<const std::string> env);

}  // namespace flatout::launch
