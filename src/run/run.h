// A Run: one execution of a command, and its processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flatout::run {

enum class RunState : std::uint8_t {
  kRunning,   // its recorder is alive
  kFinished,  // exit 0
  kFailed,    // any other exit
  kKilled,    // flatout saw it die by a signal
  kLost,      // flatout died without writing an end, or did not see how the program ended
};
std::string_view state_name(RunState state);

// What is known when a run starts.
struct RunInfo {
  std::string id;                    // 4 or more of [a-z2-7], unique within a home
  std::string name;                  // --name, else ""
  std::string trace_file;            // whose kernel trace this is; "" of a run of flatout's own
  std::vector<std::string> command;  // secrets masked
  std::string cwd;
  std::string host;
  std::int64_t started_wall_ns = 0;  // since 1970
  std::int64_t started_ns = 0;       // CLOCK_MONOTONIC
  double rate_hz = 10;
  pid_t recorder_pid = 0;
  std::uint64_t recorder_start_ticks = 0;
  pid_t program_pid = 0;  // the command itself; 0 in runs recorded before this was kept
  std::uint64_t program_start_ticks = 0;
  std::string boot_id;
  std::string ring_dir;   // where its rings lie, "" when there are no hooks
  std::string hooks_off;  // why there are no hooks, "" when there are
  int cpus = 0;           // usable: min of affinity and cgroup quota, rounded up
  double cpu_limit = 0;   // of the cgroup, in cpus; 0 = none
  std::string cpu_model;
  std::optional<bool> cpu_bf16 = {};    // it multiplies bfloat16 itself; absent = not known
  std::int64_t memory_bytes = 0;        // of the machine
  std::int64_t memory_limit_bytes = 0;  // of the cgroup; 0 = none
  std::string flatout_version;
  // The knobs that it ran under, {"dataloader.num_workers":6}; absent = without a plan.
  std::optional<std::string> plan_json = {};
  std::optional<std::string> parent = {};  // id of the run that it is a trial of
};

struct RunEnd {
  std::int64_t t_ns = 0;
  int exit_code = 0;             // meaningless when signal != 0
  int signal = 0;                // that ended the main process, 0 = it exited
  std::vector<pid_t> survivors;  // processes of the run that still lived then
  // The program, which flatout had not started, was gone, and nothing says how it ended.
  bool unseen = false;
};

enum class ProcRole : std::uint8_t {
  kMain,      // the process that trains (one that updates weights), else the command itself
  kWorker,    // loader worker
  kLauncher,  // ancestors of a main: shell, torchrun, uv
  kOther,
};
std::string_view role_name(ProcRole role);

struct Proc {
  pid_t pid = 0;
  pid_t parent = 0;
  std::uint64_t start_ticks = 0;
  std::int64_t seen_ns = 0;
  std::int64_t gone_ns = 0;  // 0 = still there when last looked
  ProcRole role = ProcRole::kOther;
  int rank = -1;
  int worker_id = -1;
  std::string command;  // argv joined, secrets masked, at most 1 KiB
};

}  // namespace flatout::run
